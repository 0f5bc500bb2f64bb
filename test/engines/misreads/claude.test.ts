import { expect, test } from 'vitest';
import { engineOf } from '../../../src/engines/index.ts';
import { parserContext, readLogs } from '../read-log.ts';
import { lines } from '../stream-json-laws.ts';
import { dataOf, phasesOf, readFixture } from './read-fixture.ts';

const saidIn = (...events: unknown[]) => {
  const parser = engineOf('claude').parser.create(parserContext('claude', { imported: true }));
  const drafts = readLogs(parser, { stdout: lines(...events) });
  return dataOf(drafts, 'interaction.reply.accepted').map(({ text }) => text);
};
const user = (content: unknown, more: object = {}) => ({
  type: 'user',
  message: { role: 'user', content },
  parent_tool_use_id: null,
  session_id: 's',
  ...more,
});

test('prompts of an imported log are messages of the user; those of a run of ours are there already', () => {
  const imported = readFixture('claude', 'prompts', { imported: true });
  expect(dataOf(imported, 'interaction.reply.accepted')).toMatchObject([
    { text: 'PROMPT: please do the scripted task.', source: 'prompt' },
    { text: 'And once more.', source: 'prompt' },
  ]);
  expect(phasesOf(imported)).not.toContain('user');
  const own = readFixture('claude', 'prompts');
  expect(dataOf(own, 'interaction.reply.accepted')).toEqual([]);
  expect(phasesOf(own)).toContain('user');
});

test('the texts of one message are one prompt', () => {
  const texts = ['Look at this:', 'and at that.'].map((text) => ({ type: 'text', text }));
  expect(saidIn(user([texts[0], { type: 'image', source: {} }, texts[1]]))).toEqual(['Look at this:\nand at that.']);
});

test.each([
  ['a text that the engine added', user('Please continue.', { isSynthetic: true })],
  ['a note for the model', user('Caveat: do not answer.', { is_meta: true })],
  ['a summary after compaction', user('This session is being continued …', { is_compact_summary: true })],
  ['the text of a skill', user('Base directory of this skill: …', { source_tool_use_id: 'toolu_1' })],
  ['the prompt of a sub-agent', user('Count the files.', { parent_tool_use_id: 'toolu_1' })],
  ['the interruption of a turn', user([{ type: 'text', text: '[Request interrupted by user]' }])],
  ['the result of a tool', user([{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'done' }])],
  ['an empty text', user(' ')],
])('%s is not a message of the user', (_what, event) => expect(saidIn(event)).toEqual([]));
