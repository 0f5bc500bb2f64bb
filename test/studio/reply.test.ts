import { expect, test } from 'vitest';
import type { RunView } from '../../src/protocol/index.ts';
import { readable } from '../../src/record/readable-value.ts';
import { editedDraft, parseDraft, suggestions } from '../../studio/model/conversation/reply-draft.ts';
import { sameAgain } from '../../studio/model/conversation/run-again.ts';
import { elapsed } from '../../studio/model/elapsed.ts';
import { titleOf } from '../../studio/model/run-title.ts';
import type { RunSkill } from '../../studio/model/skills/run-skill.ts';

test('a draft keeps its key until its text changes', () => {
  const draft = parseDraft(null, () => 'k1');
  const edited = editedDraft(draft, 'yes', () => 'k2');
  expect(edited).toEqual({ text: 'yes', key: 'k2' });
  expect(editedDraft(edited, 'yes', () => 'k3')).toBe(edited);
  expect(parseDraft(JSON.stringify(edited), () => 'k4')).toEqual(edited);
  expect(parseDraft('{"text":1}', () => 'k5')).toEqual({ text: '', key: 'k5' });
});

test('answers are suggested from choices of any shape', () => {
  expect(suggestions(['a', 2, { label: 'b', value: 'x' }, { value: 'c' }, null, {}])).toEqual(['a', '2', 'b', 'c']);
});

test('a run is repeated with its request, in a new folder', () => {
  const run = { run_id: 'r1', engine: 'demo', prompt: 'begin', mode: 'interactive', cwd: '/runs/r1' } as RunView;
  expect(sameAgain(run, 'begin with all of it')).toEqual({
    engine: 'demo',
    prompt: 'begin with all of it',
    mode: 'interactive',
  });
  expect(sameAgain({ ...run, cwd: '/work' }, null)).toMatchObject({ prompt: 'begin', cwd: '/work' });
  expect(sameAgain({ ...run, engine: 'text', command: ['ls', '-l'], prompt: null }, null)).toEqual({
    command: ['ls', '-l'],
  });
  expect(sameAgain({ ...run, prompt: null }, null)).toBeNull();
});

test('a run with a skill is repeated with the skill and its input, not with the message made from them', () => {
  const run = { run_id: 'r1', engine: 'demo', prompt: null, mode: 'auto', cwd: '/runs/r1' } as RunView;
  const main = { role: 'main', namespace: 'user', name: 'review' };
  const request = { skill: 'review', input: { path: 'src' }, skills: ['notes'] };
  const skill = { main, extra: [], request } as unknown as RunSkill;
  expect(sameAgain(run, 'Use the skill in /gone/SKILL.md', skill)).toEqual({
    engine: 'demo',
    mode: 'auto',
    skill: '$[user].review',
    input: { path: 'src' },
    skills: ['notes'],
  });
  expect(titleOf({ ...run, skill: '$[user].review' }, 'Use the skill')).toBe('$[user].review');
  expect(titleOf({ ...run, skill: '$[user].review', prompt: 'Be kind.\nVery.' }, null)).toBe('$[user].review Be kind.');
});

test('values are shown line by line, with their line breaks', () => {
  expect(readable('as it is')).toBe('as it is');
  expect(readable({ path: 'a', content: 'one\ntwo', n: 1 })).toBe('path: a\ncontent: \n  one\n  two\nn: 1');
  expect(readable(['a'])).toBe('[\n  "a"\n]');
});

test('durations updated every second have no tenths', () => {
  expect([-5, 900, 6100, 61_000].map(elapsed)).toEqual(['0 s', '0 s', '6 s', '1 min 1 s']);
});
