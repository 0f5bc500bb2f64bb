import { expect, test } from 'vitest';
import { fullLines, type JournalLine } from '../../src/journal/index.ts';
import { filesInMemory } from '../record/files-in-memory.ts';
import { collect } from './workspace.ts';

const FILES = filesInMemory('run', { 'stdout.1.log': 'x'.repeat(2000) });
const cut = (changes: object = {}) => ({
  event: { category: 'raw', type: 'raw.stdout' },
  data: { text: 'x', lines: 1, truncated: true },
  raw_ref: { attempt_number: 1, stream: 'stdout', byte_from: 0, byte_to: 2000 },
  ...changes,
});
const lineOf = (line: unknown, seq = 1): JournalLine => ({
  seq,
  bytes: Buffer.from(typeof line === 'string' ? line : JSON.stringify(line)),
});

async function resolved(...batches: JournalLine[][]): Promise<JournalLine[]> {
  const given = async function* () {
    yield* batches;
  };
  return collect(fullLines(given(), FILES));
}

test('only lines of cut output are changed, and all keep their order', async () => {
  const lines = Array.from({ length: 150 }, (_, at) => lineOf(at % 2 === 0 ? cut() : { seq: at }, at + 1));
  const full = await resolved(lines.slice(0, 140), lines.slice(140));
  expect(full.map(({ seq }) => seq)).toEqual(lines.map(({ seq }) => seq));
  full.forEach((line, at) => {
    if (at % 2 === 1) expect(line).toBe(lines[at]);
    else expect(JSON.parse(line.bytes.toString()).data).toEqual({ text: 'x'.repeat(2000), lines: 1 });
  });
});

test.each([
  ['is cut off', '{"event":{"type":"raw.stdout"},"data":{"truncated":true'],
  ['is a list', '[{"truncated":true}]'],
  ['has no event', { data: { truncated: true } }],
  ['has an event that is not an object', { event: null, data: { truncated: true } }],
  ['has a type that is not a text', cut({ event: { type: 5 } })],
  ['has no text', cut({ data: { truncated: true } })],
  ['has a count of masked bytes that is not a number', cut({ data: { ...cut().data, masked: '1' } })],
])('a line that %s is left as it is', async (_what, content) => {
  const line = lineOf(content);
  expect(await resolved([line])).toEqual([line]);
});
