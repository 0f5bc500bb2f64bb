import { createHash } from 'node:crypto';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseRaspEvent, type RaspEvent } from '../../src/protocol/index.ts';
import { proofSize } from '../support/proof-size.ts';
import {
  appendOrThrow,
  auditFolder,
  auditFolderOnSmallDisk,
  collect,
  draft,
  drafts,
  logLines,
  logPath,
  openJournal,
  RUN,
  startProgram,
  verifyLog,
  writeEvents,
} from './workspace.ts';

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

test('a line is the event with its fields in protocol order, chained to the previous line', async () => {
  const folder = auditFolder();
  const events = await writeEvents(folder, [draft('one'), draft('two')]);
  const first =
    `{"protocol_version":"rasp/1.0","run_id":"${RUN}","seq":1,"ts":"2026-11-15T08:00:00.000Z","attempt_number":1,` +
    '"source":{"engine":"codex","parser":"codex_ndjson","stream":"stdout","confidence":0.95},' +
    '"event":{"category":"raw","type":"raw.stdout"},"data":{"text":"one","lines":1},"correlation":{},' +
    '"raw_ref":{"attempt_number":1,"stream":"stdout","byte_from":0,"byte_to":3}';
  const firstChain = sha256(`${sha256(`tacho-chain/1 ${RUN}`)}${first}}`);
  const second = first.replace('"seq":1', '"seq":2').replace('"one"', '"two"');
  const secondChain = sha256(`${firstChain}${second}}`);
  expect(readFileSync(logPath(folder), 'utf8')).toBe(
    `${first},"chain":"${firstChain}"}\n${second},"chain":"${secondChain}"}\n`,
  );
  expect(statSync(logPath(folder)).mode & 0o777).toBe(0o600);
  expect(events).toEqual(logLines(folder).map((line) => JSON.parse(line)));
  for (const event of events) parseRaspEvent(event);
});

test('seq continues over claims, and a claim returns the position of the journal', async () => {
  const folder = auditFolder();
  await writeEvents(folder, drafts(3));
  const last = (await writeEvents(folder, drafts(2))).at(-1)!;
  const claim = await openJournal(folder).claim(RUN);
  expect(claim).toEqual({ run: RUN, epoch: 3, lastSeq: 5, lastTs: last.ts, head: last.chain, repaired: null });
  expect(logLines(folder).map((line) => JSON.parse(line).seq)).toEqual([1, 2, 3, 4, 5]);
});

test('an append with a wrong expected seq is a conflict and changes nothing', async () => {
  const folder = auditFolder();
  const journal = openJournal(folder);
  const { epoch } = await journal.claim(RUN);
  await appendOrThrow(journal, epoch, 0, drafts(2));
  for (const expectedSeq of [0, 1, 3]) {
    const result = await journal.append(RUN, epoch, expectedSeq, drafts(1));
    expect(result).toEqual({ ok: false, reason: 'conflict', lastSeq: 2 });
  }
  expect(await journal.append(RUN, epoch, 2, [])).toEqual({ ok: true, lastSeq: 2, events: [] });
  expect(logLines(folder)).toHaveLength(2);
});

test('events with any text are one line each and read back the same', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\n', '\r\n', '\u2028\u2029', '\ud800', '\u0000', '"}\n', ',"chain":"', '𝄞'.repeat(40_000)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(text, { maxLength: 5 }), { maxLength: 4 }), async (batches) => {
      const folder = auditFolder();
      const journal = openJournal(folder);
      const { epoch } = await journal.claim(RUN);
      const kept: RaspEvent[] = [];
      for (const batch of batches) {
        const events = batch.map((text) => draft(text));
        kept.push(...(await appendOrThrow(journal, epoch, kept.length, events)));
      }
      await journal.release(RUN, epoch);
      expect(await collect(journal.read(RUN))).toEqual(kept);
      expect(logLines(folder)).toHaveLength(kept.length);
      expect(await verifyLog(logPath(folder))).toMatchObject({ ok: true, lines: kept.length });
      rmSync(folder, { recursive: true });
    }),
    { numRuns: proofSize({ small: 5, full: 40 }) },
  );
});

test('hooks are called after events are on disk and before tails, and cannot fail an append', async () => {
  const folder = auditFolder();
  const heard: string[] = [];
  const journal = openJournal(folder, {
    hooks: [
      () => {
        throw new Error('a broken hook');
      },
      async () => {
        throw new Error('a broken hook, later');
      },
      (run, events) => void heard.push(`hook ${run} ${events.length} of ${logLines(folder).length}`),
    ],
  });
  const { epoch } = await journal.claim(RUN);
  const tail = journal.tail(RUN, 0)[Symbol.asyncIterator]();
  const tailed = tail.next().then(() => heard.push('tail'));
  await appendOrThrow(journal, epoch, 0, drafts(3));
  await tailed;
  await tail.return?.();
  expect(heard).toEqual([`hook ${RUN} 3 of 3`, 'tail']);
});

test('a full disk leaves only complete lines, and appending continues once there is space', async () => {
  const { folder } = auditFolderOnSmallDisk('400k');
  const ballast = join(folder, 'ballast');
  writeFileSync(ballast, Buffer.alloc(200_000));
  const journal = openJournal(folder);
  const { epoch } = await journal.claim(RUN);
  const batch = () => drafts(7, 'x'.repeat(1000));
  let seq = 0;
  const fill = async () => {
    for (;;) seq = (await appendOrThrow(journal, epoch, seq, batch())).at(-1)!.seq;
  };
  await expect(fill()).rejects.toMatchObject({ code: 'DISK_FULL', cause: { code: 'ENOSPC' } });
  expect(seq).toBeGreaterThan(0);
  expect(await verifyLog(logPath(folder))).toMatchObject({ ok: true, lastSeq: seq });
  await expect(fill()).rejects.toMatchObject({ code: 'DISK_FULL' });

  rmSync(ballast);
  seq = (await appendOrThrow(journal, epoch, seq, batch())).at(-1)!.seq;
  expect(await verifyLog(logPath(folder))).toMatchObject({ ok: true, lastSeq: seq });
  await expect(fill()).rejects.toMatchObject({ code: 'DISK_FULL' });
  await journal.release(RUN, epoch);
  expect(await collect(journal.read(RUN, { afterSeq: seq - 1 }))).toMatchObject([{ seq }]);
});

test('a run is released even if the disk has no space for another lock file', async () => {
  const { folder } = auditFolderOnSmallDisk('128k');
  const journal = openJournal(folder);
  const { epoch } = await journal.claim(RUN);
  expect(() => writeFileSync(join(folder, 'ballast'), Buffer.alloc(200_000))).toThrow('ENOSPC');
  await journal.release(RUN, epoch);
  expect(JSON.parse(readFileSync(join(folder, 'lock.1'), 'utf8'))).toMatchObject({ pid: process.pid, released: true });
  rmSync(join(folder, 'ballast'));
  expect(await journal.claim(RUN)).toMatchObject({ epoch: 2 });
});

test('the fsync policy determines how often the log is synced', async () => {
  const syncs = async (fsync: string) => {
    const folder = auditFolder();
    const trace = join(auditFolder(), 'trace');
    const writer = startProgram(
      'append-events',
      [RUN, folder, '60', fsync],
      ['strace', '-f', '-qq', '-o', trace, '-e', 'trace=fdatasync,pwrite64,write'],
    );
    expect(await writer.nextLine()).toBe('begun');
    writer.say('go');
    expect(await writer.nextLine()).toBe('appended 60');
    await writer.exited;
    const calls = readFileSync(trace, 'utf8').split('\n');
    return {
      syncs: calls.filter((call) => call.includes('fdatasync(')).length,
      appends: calls.filter((call) => /write(64)?\(\d+, "\{\\"protocol_version/.test(call)).length,
    };
  };
  const each = await syncs('each');
  expect(each.appends).toBeGreaterThan(5);
  expect(each.syncs).toBe(each.appends);
  expect(await syncs('off')).toEqual({ syncs: 0, appends: each.appends });
  const interval = await syncs('interval');
  expect(interval.syncs).toBeGreaterThan(0);
  expect(interval.syncs).toBeLessThan(interval.appends);
});
