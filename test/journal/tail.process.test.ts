import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { proofSize } from '../support/proof-size.ts';
import {
  appendOrThrow,
  auditFolder,
  collect,
  draft,
  drafts,
  logPath,
  openJournal,
  RUN,
  startProgram,
  take,
  writeEvents,
} from './workspace.ts';

const EVENTS = process.env.TACHO_PROOF === 'full' ? 100_000 : 10_000;

test('a reader process that starts while a writer process appends sees each event exactly once', async () => {
  const folder = auditFolder();
  const writer = startProgram('append-events', [RUN, folder, String(EVENTS)]);
  expect(await writer.nextLine()).toBe('begun');
  const readers = [1, 2].map(() => startProgram('tail-events', [RUN, folder, String(EVENTS)]));
  const here = take(openJournal(folder).tail(RUN, 0), EVENTS);
  expect([await readers[0]!.nextLine(), await readers[0]!.nextLine()]).toEqual(['ready', 'begun']);
  writer.say('go');
  expect(await writer.nextLine()).toBe(`appended ${EVENTS}`);
  expect([await readers[1]!.nextLine(), await readers[1]!.nextLine()]).toEqual(['ready', 'begun']);
  for (const reader of readers) expect(JSON.parse((await reader.nextLine())!)).toEqual({ seen: EVENTS, wrong: 0 });
  expect((await here).map(({ seq }) => seq)).toEqual(Array.from({ length: EVENTS }, (_, n) => n + 1));
});

test('a reader that started before the first event sees it', async () => {
  const folder = auditFolder();
  const reader = startProgram('tail-events', [RUN, folder, '100']);
  expect(await reader.nextLine()).toBe('ready');
  await writeEvents(folder, drafts(100));
  expect([await reader.nextLine(), await reader.nextLine()]).toEqual(['begun', '{"seen":100,"wrong":0}']);
});

test('a reader without a file watch follows by polling', async () => {
  const folder = auditFolder();
  const forbid = 'echo 0 > /proc/sys/user/max_inotify_instances; exec "$@"';
  const reader = startProgram('tail-events', [RUN, folder, '200'], ['unshare', '-Ur', 'sh', '-c', forbid, 'sh']);
  expect(await reader.nextLine()).toBe('ready');
  await writeEvents(folder, drafts(100));
  expect(await reader.nextLine()).toBe('begun');
  await writeEvents(folder, drafts(100));
  expect(await reader.nextLine()).toBe('{"seen":200,"wrong":0}');
});

test('a tail starts after the given seq, also after one that does not exist yet', async () => {
  const folder = auditFolder();
  await writeEvents(folder, drafts(1000));
  const [late, future] = [take(openJournal(folder).tail(RUN, 998), 4), take(openJournal(folder).tail(RUN, 1001), 1)];
  await writeEvents(folder, drafts(2));
  expect((await late).map(({ seq }) => seq)).toEqual([999, 1000, 1001, 1002]);
  expect((await future).map(({ seq }) => seq)).toEqual([1002]);
});

test('a tail ends when its signal aborts, waiting or not, with or without a log', async () => {
  const folder = auditFolder();
  const stop = new AbortController();
  const withoutLog = collect(openJournal(folder).tail(RUN, 0, { signal: stop.signal }));
  await writeEvents(folder, drafts(3));
  const waiting = collect(openJournal(folder).tail(RUN, 3, { signal: stop.signal }));
  const journal = openJournal(folder);
  const begun = journal.tail(RUN, 0, { signal: stop.signal })[Symbol.asyncIterator]();
  expect((await begun.next()).value).toHaveLength(3);
  stop.abort();
  expect(await begun.next()).toEqual({ done: true, value: undefined });
  expect(await waiting).toEqual([]);
  await withoutLog;
  expect(await collect(journal.tail(RUN, 0, { signal: stop.signal }))).toEqual([]);
});

test('a slow reader gets everything, and does not block the writer', async () => {
  const folder = auditFolder();
  const journal = openJournal(folder);
  const { epoch } = await journal.claim(RUN);
  const tail = journal.tail(RUN, 0)[Symbol.asyncIterator]();
  await appendOrThrow(journal, epoch, 0, drafts(1));
  expect((await tail.next()).value).toHaveLength(1);
  for (let seq = 1; seq < 5000; seq += 50) await appendOrThrow(journal, epoch, seq, drafts(50));
  const seen: number[] = [];
  while (seen.length < 5000) seen.push(...(await tail.next()).value!.map(({ seq }: { seq: number }) => seq));
  await tail.return?.();
  expect(seen).toEqual(Array.from({ length: 5000 }, (_, n) => n + 2));
});

test('each event arrives once and complete, however the writer’s writes are split', async () => {
  const source = auditFolder();
  await writeEvents(source, drafts(12, 'ü 𝄞'));
  const bytes = readFileSync(logPath(source));
  const expected = await collect(openJournal(source).read(RUN));
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.nat(bytes.length), { maxLength: 25 }), async (cuts) => {
      const folder = auditFolder();
      const tailed = take(openJournal(folder).tail(RUN, 0), expected.length);
      let from = 0;
      for (const cut of [...cuts.sort((a, b) => a - b), bytes.length]) {
        appendFileSync(logPath(folder), bytes.subarray(from, cut));
        from = cut;
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(await tailed).toEqual(expected);
    }),
    { numRuns: proofSize({ small: 5, full: 40 }) },
  );
});

test('a tail continues after a truncated end was repaired', async () => {
  const folder = auditFolder();
  await writeEvents(folder, drafts(2));
  const [torn] = readFileSync(logPath(folder), 'utf8').split('\n') as [string];
  appendFileSync(logPath(folder), torn.slice(0, 200));
  const tail = openJournal(folder).tail(RUN, 0)[Symbol.asyncIterator]();
  expect((await tail.next()).value.map(({ seq }: { seq: number }) => seq)).toEqual([1, 2]);
  const next = tail.next();
  const [third] = await writeEvents(folder, [draft('after the repair')]);
  expect((await next).value).toEqual([third]);
  await tail.return?.();
});

test('a tail that read lines of a rolled back append reports it, unless the same lines were written again', async () => {
  const folder = auditFolder();
  await writeEvents(folder, drafts(2));
  const kept = readFileSync(logPath(folder));
  await writeEvents(folder, drafts(2, 'first try'));
  const taken = readFileSync(logPath(folder));
  const [patient, strict] = [1, 2].map(() => openJournal(folder).tail(RUN, 2)[Symbol.asyncIterator]());
  for (const tail of [patient!, strict!]) expect((await tail.next()).value).toHaveLength(2);

  truncateSync(logPath(folder), kept.length);
  const next = patient!.next();
  writeFileSync(logPath(folder), taken);
  await writeEvents(folder, drafts(1));
  expect((await next).value).toMatchObject([{ seq: 5 }]);
  await patient!.return?.();

  truncateSync(logPath(folder), kept.length);
  // The same lengths and more after them: only the chain shows that these are other lines.
  await writeEvents(folder, drafts(4, 'other try'));
  await expect(strict!.next()).rejects.toMatchObject({
    code: 'JOURNAL_DAMAGED',
    message: expect.stringContaining('taken back'),
  });
});
