import { expect, test } from 'vitest';
import { fakeEngine } from '../../support/fake-engine.ts';
import { sandbox } from '../../support/tacho.ts';

/** Commands whose output is for people. */
const FOR_PEOPLE = [
  ['show', 'last'],
  ['show', 'last', '--chat'],
  ['runs'],
  ['logs', 'last'],
  ['replay', 'last', '--speed', '1000'],
  ['export', 'last', '--format', 'md'],
  ['export', 'last', '--format', 'txt'],
  ['export', 'last', '--format', 'asciicast'],
  ['export', 'last', '--format', 'svg'],
];
/** Commands that print the record itself. */
const EVIDENCE = [
  ['raw', 'last'],
  ['events', 'last'],
];

test('people never see the done marker, while bytes and events keep it', async () => {
  const box = sandbox();
  const env = fakeEngine('codex', 'end-skill.mjs');
  const chat = await box.here(['run', 'codex', 'play object-result as codex by contract'], { env });
  expect(chat.stdout).toContain('{"verdict": "approve", "findings": []}\n');
  expect(`${chat.stdout}${chat.stderr}`).not.toMatch(/skill_done/i);
  for (const words of FOR_PEOPLE) {
    const { stdout, stderr, code } = await box.here(words, { env });
    expect({ words, code, hasMarker: /skill_done/i.test(stdout + stderr) }).toEqual({
      words,
      code: 0,
      hasMarker: false,
    });
  }
  for (const words of EVIDENCE)
    expect((await box.here(words, { env })).stdout, words.join(' ')).toContain('__SKILL_DONE__');
});
