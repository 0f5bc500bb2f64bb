import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { RaspDraft } from '../../src/protocol/index.ts';
import { sealedRun } from '../recording/sealed-run.ts';
import { rawDraft } from '../server/support/make-run.ts';
import { verifyBoth } from './both-ports.ts';

/** The file has 33 bytes. */
function cut(byte_from: number, byte_to: number, changes: object = {}): RaspDraft {
  const raw_ref = { attempt_number: 1, stream: 'stdout', byte_from, byte_to, ...changes };
  return { ...rawDraft('o'), data: { text: 'o', lines: 1, truncated: true }, raw_ref } as RaspDraft;
}

const problemsOf = async (...more: RaspDraft[]) => (await verifyBoth((await sealedRun({ more })).folder)).problems;

describe('verify', () => {
  test('accepts events that refer to output one after the other', async () => {
    expect(await problemsOf(cut(0, 11), cut(11, 33), cut(2, 15, { stream: 'stderr' }))).toEqual([]);
  });

  const elsewhere = 'event 13 does not refer to output of its attempt';
  test.each([
    ['bytes after the end of a file', [cut(11, 34)], 'event 13 refers to byte 34 of stdout.1.log, which has 33'],
    ['bytes of another event', [cut(0, 11), cut(10, 20)], 'event 14 refers to bytes of stdout that belong to event 13'],
    ['the same bytes', [cut(0, 11), cut(0, 11)], 'event 14 refers to bytes of stdout that belong to event 13'],
    ['more bytes than an event can have', [cut(0, 2 ** 40)], elsewhere],
    ['no bytes', [cut(5, 5)], elsewhere],
    ['bytes before the beginning', [cut(-5, 5)], elsewhere],
    ['half a byte', [cut(0, 4.5)], elsewhere],
    ['typed input', [cut(0, 5, { stream: 'stdin' })], elsewhere],
    ['another attempt', [cut(0, 5, { attempt_number: 2 })], elsewhere],
    ['a path', [cut(0, 5, { stream: '../../secret' })], elsewhere],
    ['nothing', [{ ...cut(0, 5), raw_ref: null } as RaspDraft], elsewhere],
  ])('reports an event that refers to %s', async (_what, more, message) => {
    const problems = await problemsOf(...more);
    expect(problems).toEqual([
      { kind: 'changed', path: 'events.jsonl', line: 12 + more.length, byte: expect.any(Number), message },
    ]);
  });

  test('reports a line that is not JSON although it is in the chain', async () => {
    expect(await problemsOf(cut(0, Number.NaN))).toMatchObject([
      { kind: 'chain', path: 'events.jsonl', line: 13, message: 'line 13: not an event' },
    ]);
  });

  test('reports an event that cannot be made into a message', async () => {
    const final = { category: 'agent', type: 'agent.message.final' };
    const more = [{ ...cut(0, 5), event: final, data: {} } as unknown as RaspDraft];
    const run = await sealedRun({ more, conversation: '' });
    expect((await verifyBoth(run.folder)).problems).toMatchObject([
      { kind: 'chain', path: 'events.jsonl', message: 'lines up to 13: an event has another form than its type' },
    ]);
  });

  test('reports a few of many wrong references', async () => {
    expect(await problemsOf(...Array.from({ length: 50 }, () => cut(0, 0)))).toHaveLength(10);
  });

  test('reports a file that is too short for its events once', async () => {
    const run = await sealedRun({ more: [cut(0, 33)] });
    fs.truncateSync(run.at('stdout'), 20);
    expect((await verifyBoth(run.folder)).problems.map(({ path }) => path)).toEqual(['stdout.1.log']);
  });
});
