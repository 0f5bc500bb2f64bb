import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
  verifyLog,
  writeEvents,
} from './workspace.ts';

/** Claims a log truncated to `cut` bytes and checks all guarantees of a repair. */
async function checkRepairOf(folder: string, whole: Buffer, cut: number): Promise<void> {
  rmSync(join(folder, 'torn.1.bin'), { force: true });
  rmSync(join(folder, 'lock.1'), { force: true });
  writeFileSync(logPath(folder), whole.subarray(0, cut));
  const linesTo = whole.subarray(0, cut).lastIndexOf(0x0a) + 1;
  const lines = whole.subarray(0, linesTo).toString().split('\n').length - 1;
  const onlyLineFeedMissing = cut > linesTo && whole[cut] === 0x0a;
  const fragment = whole.subarray(linesTo, cut);

  const journal = openJournal(folder);
  const claim = await journal.claim(RUN);
  if (onlyLineFeedMissing || fragment.length === 0) {
    expect(claim).toMatchObject({ lastSeq: onlyLineFeedMissing ? lines + 1 : lines, repaired: null });
    expect(existsSync(join(folder, 'torn.1.bin'))).toBe(false);
  } else {
    const sha256 = createHash('sha256').update(fragment).digest('hex');
    const repaired = { bytes: fragment.length, sha256, kept_as: 'torn.1.bin' };
    expect(claim).toMatchObject({ lastSeq: lines, repaired });
    expect(readFileSync(join(folder, 'torn.1.bin'))).toEqual(fragment);
    expect(statSync(join(folder, 'torn.1.bin')).mode & 0o777).toBe(0o600);
  }
  await appendOrThrow(journal, claim.epoch, claim.lastSeq, [draft('after')]);
  await journal.release(RUN, claim.epoch);
  expect(await verifyLog(logPath(folder))).toMatchObject({ ok: true, lastSeq: claim.lastSeq + 1 });
  expect(readFileSync(logPath(folder)).subarray(0, linesTo)).toEqual(whole.subarray(0, linesTo));
}

test('a log truncated at any byte of its last two lines is repaired, and no complete line is lost', async () => {
  // Hundreds of claims, each with fsyncs: in memory if possible.
  const folder = auditFolder(existsSync('/dev/shm') ? '/dev/shm' : undefined);
  await writeEvents(folder, drafts(3));
  const whole = readFileSync(logPath(folder));
  const secondLineFrom = whole.indexOf(0x0a) + 1;
  // Different bytes in each run.
  const step = proofSize({ small: 7, full: 1 });
  const first = secondLineFrom + Math.floor(Math.random() * step);
  for (let cut = first; cut <= whole.length; cut += step) await checkRepairOf(folder, whole, cut);
});

test('any log truncated anywhere is repaired', async () => {
  const texts = fc.array(fc.string({ unit: 'binary', maxLength: 200 }), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(texts, fc.double({ min: 0, max: 1, noNaN: true }), async (texts, share) => {
      const folder = auditFolder();
      await writeEvents(
        folder,
        texts.map((text) => draft(text)),
      );
      const whole = readFileSync(logPath(folder));
      await checkRepairOf(folder, whole, Math.floor(whole.length * share));
      rmSync(folder, { recursive: true });
    }),
    { numRuns: proofSize({ small: 8, full: 60 }) },
  );
});

test('a fragment longer than any line is set aside completely', async () => {
  const folder = auditFolder();
  await writeEvents(folder, drafts(2));
  const whole = readFileSync(logPath(folder));
  const fragment = Buffer.alloc(300_000, '\0');
  appendFileSync(logPath(folder), fragment);
  const claim = await openJournal(folder).claim(RUN);
  expect(claim).toMatchObject({ lastSeq: 2, repaired: { bytes: 300_000, kept_as: 'torn.2.bin' } });
  expect(readFileSync(join(folder, 'torn.2.bin')).equals(fragment)).toBe(true);
  expect(readFileSync(logPath(folder))).toEqual(whole);
});

test('a complete line without its line feed counts only with the right seq and chain', async () => {
  const folder = auditFolder();
  await writeEvents(folder, drafts(3));
  const [first, second, third] = readFileSync(logPath(folder), 'utf8').split('\n') as [string, string, string];
  for (const fragment of [third, second.replace('line 1', 'line 9'), second.replace('"seq":2', '"seq":5')]) {
    writeFileSync(logPath(folder), `${first}\n${fragment}`);
    const journal = openJournal(folder);
    const claim = await journal.claim(RUN);
    expect(claim).toMatchObject({ lastSeq: 1, repaired: { bytes: fragment.length } });
    await journal.release(RUN, claim.epoch);
  }
});

test('a last complete line that is not an event of the run fails the claim and is kept', async () => {
  const folder = auditFolder();
  await writeEvents(folder, drafts(2));
  const good = readFileSync(logPath(folder), 'utf8');
  const stranger = good.split('\n')[0]!.replaceAll(RUN, '20261115T080000-codex-ffffffff');
  for (const bad of ['', 'garbage', '{}', '\0\0\0', '{"seq":3}', stranger]) {
    const text = `${good}${bad}\n`;
    writeFileSync(logPath(folder), text);
    await expect(openJournal(folder).claim(RUN)).rejects.toMatchObject({
      code: 'JOURNAL_DAMAGED',
      facts: { byte_offset: good.length },
    });
    expect(readFileSync(logPath(folder), 'utf8')).toBe(text);
  }
});

test('a reader reports a damaged line with its byte offset and does not change the log', async () => {
  const folder = auditFolder();
  await writeEvents(folder, drafts(5));
  const lines = readFileSync(logPath(folder), 'utf8').split('\n');
  const offset = `${lines[0]}\n${lines[1]}\n`.length;
  const damaged = { code: 'JOURNAL_DAMAGED', facts: { byte_offset: offset } };
  for (const third of ['garbage', lines[3]!, lines[1]!, `${lines[2]!.slice(0, 150)}`]) {
    const text = [...lines.slice(0, 2), third, ...lines.slice(3)].join('\n');
    writeFileSync(logPath(folder), text);
    await expect(collect(openJournal(folder).read(RUN))).rejects.toMatchObject(damaged);
    await expect(collect(openJournal(folder).tail(RUN, 1))).rejects.toMatchObject(damaged);
    expect(readFileSync(logPath(folder), 'utf8')).toBe(text);
  }
});

test('readers skip an incomplete last line without changing it', async () => {
  const folder = auditFolder();
  const kept = await writeEvents(folder, drafts(2));
  appendFileSync(logPath(folder), '{"protocol_version":"ra');
  const text = readFileSync(logPath(folder), 'utf8');
  expect(await collect(openJournal(folder).read(RUN))).toEqual(kept);
  expect(readFileSync(logPath(folder), 'utf8')).toBe(text);
});

test('a writer killed at any moment leaves every event it had acknowledged', async () => {
  const folder = auditFolder();
  for (let round = 1; round <= proofSize({ small: 3, full: 30 }); round++) {
    const writer = startProgram('append-forever', [RUN, folder]);
    let acknowledged = 0;
    for (let left = 1 + Math.floor(Math.random() * 60); left > 0; left--) {
      const [epoch, seq] = (await writer.nextLine())!.split(' ').map(Number);
      // The claim of this test in the last round took an epoch as well.
      expect(epoch).toBe(round * 2 - 1);
      acknowledged = seq!;
    }
    writer.child.kill('SIGKILL');
    await writer.exited;
    const before = readFileSync(logPath(folder));
    const complete = before.subarray(0, before.lastIndexOf(0x0a) + 1);

    const journal = openJournal(folder);
    const claim = await journal.claim(RUN);
    expect(claim.epoch).toBe(round * 2);
    expect(claim.lastSeq).toBeGreaterThanOrEqual(acknowledged);
    expect(readFileSync(logPath(folder)).subarray(0, complete.length).equals(complete)).toBe(true);
    expect(await verifyLog(logPath(folder))).toMatchObject({ ok: true, lastSeq: claim.lastSeq });
    await journal.release(RUN, claim.epoch);
  }
});
