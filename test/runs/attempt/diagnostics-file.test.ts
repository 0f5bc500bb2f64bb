import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { RaspEvent } from '../../../src/protocol/index.ts';
import { DiagnosticsFile } from '../../../src/runs/attempt/diagnostics-file.ts';
import { smallDisk } from '../../support/small-disk.ts';
import { temporaryFolder } from '../../support/tacho.ts';

const diagnostic = (seq: number, text = 'x') =>
  ({
    seq,
    event: { category: 'diagnostic', type: 'diagnostic.runtime.warning' },
    data: { text },
  }) as unknown as RaspEvent;
const other = (seq: number) => ({ seq, event: { category: 'raw', type: 'raw.stdout' } }) as unknown as RaspEvent;
const linesOf = (events: readonly RaspEvent[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');

/** A file in a folder, with a journal in memory. */
function fileIn(folder: string, kept: RaspEvent[] = []) {
  const file = new DiagnosticsFile(folder, async function* (afterSeq) {
    yield kept.filter(({ seq }) => seq > afterSeq);
  });
  const append = async (...events: RaspEvent[]) => {
    kept.push(...events);
    await file.append(events);
  };
  return { file, append, content: () => fs.readFileSync(path.join(folder, 'parser_diagnostics.jsonl'), 'utf8') };
}

const EARLIER = [diagnostic(1), other(2), diagnostic(3)];
const [FIRST, , SECOND] = EARLIER as [RaspEvent, RaspEvent, RaspEvent];

test.each([
  ['nothing was written', ''],
  ['the last line is missing', linesOf([FIRST])],
  ['the last line is incomplete', linesOf([FIRST]) + linesOf([SECOND]).slice(0, 20)],
  ['nothing is missing', linesOf([FIRST, SECOND])],
  ['a line has no event', linesOf([FIRST, SECOND, diagnostic(9)])],
  ['a line was forged', linesOf([FIRST, diagnostic(3, 'forged')])],
])('the diagnostics follow the events when %s', async (_, content) => {
  const folder = temporaryFolder();
  fs.writeFileSync(path.join(folder, 'parser_diagnostics.jsonl'), content);
  const { append, content: now } = fileIn(folder, [...EARLIER]);
  await append(diagnostic(4));
  await append(other(5), diagnostic(6));
  expect(now()).toBe(linesOf([FIRST, SECOND, diagnostic(4), diagnostic(6)]));
});

test('a diagnostic that does not fit on the disk is added before the next one', async () => {
  const folder = smallDisk('1m');
  const { file, append, content } = fileIn(folder);
  await append(diagnostic(1));
  const filler = path.join(folder, 'filler');
  expect(() => fs.writeFileSync(filler, Buffer.alloc(2_000_000))).toThrow('ENOSPC');
  const large = diagnostic(2, 'y'.repeat(100_000));
  await expect(append(large)).rejects.toThrow('ENOSPC');
  expect(content()).toBe(linesOf([diagnostic(1)]));
  fs.rmSync(filler);
  await append(diagnostic(3));
  expect(content()).toBe(linesOf([diagnostic(1), large, diagnostic(3)]));
  expect(await file.putBack()).toEqual([]);
});
