import { expect, test } from 'vitest';
import { dataOf, phasesOf, readFixture, typesOf } from './read-fixture.ts';

test('updates that hold only what is new are read, and nothing else of a later version is unknown', () => {
  const drafts = readFixture('pi', 'made-short-updates');
  expect(typesOf(drafts).filter((type) => type.startsWith('raw.') || type === 'diagnostic.parser.warning')).toEqual([]);
  expect(dataOf(drafts, 'agent.message.delta').map(({ text }) => text)).toEqual([
    'I will read it.',
    'The door is red.',
  ]);
  expect(phasesOf(drafts).slice(-2)).toEqual(['agent_end', 'agent_settled']);
});

test('a thought comes before the text that was printed after it', () => {
  const said = readFixture('pi', 'made-short-updates').filter(({ event }) => event.category === 'agent');
  expect(typesOf(said).slice(0, 3)).toEqual(['agent.reasoning.summary', 'agent.message.delta', 'agent.message.final']);
  const older = readFixture('pi', 'tool').filter(({ event }) => event.category === 'agent');
  expect(typesOf(older)[0]).toBe('agent.reasoning.summary');
});

test('the prompt of an imported log is a message of the user', () => {
  const imported = readFixture('pi', 'made-short-updates', { imported: true });
  expect(dataOf(imported, 'interaction.reply.accepted')).toMatchObject([
    { text: 'Look at the door.', source: 'prompt' },
  ]);
  expect(dataOf(readFixture('pi', 'made-short-updates'), 'interaction.reply.accepted')).toEqual([]);
});

test('compaction under its old name is a phase', () => {
  const drafts = readFixture('pi', 'made-auto-compaction');
  expect(typesOf(drafts).filter((type) => /^(raw|diagnostic)/.test(type))).toEqual([]);
  expect(phasesOf(drafts)).toEqual(expect.arrayContaining(['auto_compaction_start', 'auto_compaction_end']));
});

test('the JSON of a failed request is shown by its message', () => {
  const [retry] = dataOf(readFixture('pi', 'made-short-updates'), 'diagnostic.engine.error');
  expect(retry).toMatchObject({ code: 'ENGINE_RETRY', message: 'The service is busy.' });
});
