import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownIdentity, takeFlock } from '../../src/files/index.ts';
import { isLocked } from '../../src/journal/index.ts';
import { proofSize } from '../support/proof-size.ts';
import { makeReadOnly } from '../support/small-disk.ts';
import {
  appendOrThrow,
  auditFolder,
  auditFolderOnSmallDisk,
  drafts,
  openJournal,
  RUN,
  startProgram,
} from './workspace.ts';

function placeLock(folder: string, generation: number, content: object): void {
  writeFileSync(join(folder, `lock.${generation}`), JSON.stringify(content));
}

function lockFiles(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.startsWith('lock'));
}

test('the first claim of a run has epoch 1 and leaves a private lock that names the process', async () => {
  const folder = auditFolder();
  const claim = await openJournal(folder).claim(RUN);
  expect(claim).toMatchObject({ run: RUN, epoch: 1, lastSeq: 0, lastTs: null, repaired: null });
  expect(JSON.parse(readFileSync(join(folder, 'lock.1'), 'utf8'))).toEqual({ ...ownIdentity(), released: false });
  expect(statSync(join(folder, 'lock.1')).mode & 0o777).toBe(0o600);
});

test('a released run can be claimed again, with the next epoch', async () => {
  const folder = auditFolder();
  const journal = openJournal(folder);
  for (const epoch of [1, 2, 3]) {
    expect((await journal.claim(RUN)).epoch).toBe(epoch);
    await journal.release(RUN, epoch);
  }
  expect(lockFiles(folder)).toEqual(['lock.3']);
});

test('the same process cannot claim a run twice', async () => {
  const folder = auditFolder();
  const journal = openJournal(folder);
  await journal.claim(RUN);
  const refused = { code: 'RUN_LOCKED', facts: { pid: process.pid } };
  await expect(journal.claim(RUN)).rejects.toMatchObject(refused);
  await expect(openJournal(folder).claim(RUN)).rejects.toMatchObject(refused);
});

test('of many processes that claim at once exactly one wins, and the errors of the others name it', async () => {
  const claimers = proofSize({ small: 8, full: 20 });
  const folders = [auditFolder(), auditFolder(), auditFolder(), auditFolder(), auditFolder()];
  const programs = Array.from({ length: claimers }, () => startProgram('claim-on-command', [RUN]));
  for (const program of programs) expect(await program.nextLine()).toBe('ready');
  for (const [round, folder] of folders.entries()) {
    // In every other round they compete for the lock of a dead process.
    if (round % 2 === 1) placeLock(folder, 7, { ...ownIdentity(), start_time: '1', released: false });
    for (const program of programs) program.say(folder);
    const answers = await Promise.all(programs.map((program) => program.nextLine()));
    const winner = answers.findIndex((answer) => answer === `won ${round % 2 === 1 ? 8 : 1}`);
    const lost = `RUN_LOCKED ${programs[winner]?.child.pid}`;
    expect(answers.filter((_, index) => index !== winner)).toEqual(Array(claimers - 1).fill(lost));
    expect(lockFiles(folder)).toEqual([`lock.${round % 2 === 1 ? 8 : 1}`]);
  }
});

test('after the holder is killed the next claim takes over with the next epoch', async () => {
  const folder = auditFolder();
  const holder = startProgram('claim-on-command', [RUN]);
  holder.say(folder);
  expect([await holder.nextLine(), await holder.nextLine()]).toEqual(['ready', 'won 1']);
  await expect(openJournal(folder).claim(RUN)).rejects.toMatchObject({
    code: 'RUN_LOCKED',
    message: expect.stringContaining(`process ${holder.child.pid}`),
  });
  holder.child.kill('SIGKILL');
  await holder.exited;
  expect(await openJournal(folder).claim(RUN)).toMatchObject({ epoch: 2 });
  expect(lockFiles(folder)).toEqual(['lock.2']);
});

test.each([
  ['of a dead process', { start_time: '12345' }],
  ['from before the last boot', { boot_id: 'another' }],
  ['with a host name that was changed since', { host: 'elsewhere' }],
])('a lock %s is taken over at once', async (_, changed) => {
  const folder = auditFolder();
  placeLock(folder, 4, { ...ownIdentity(), ...changed, released: false });
  expect(await openJournal(folder).claim(RUN)).toMatchObject({ epoch: 5 });
});

test('a lock whose holder is alive is respected, whatever host name and pid it contains', async () => {
  const folder = auditFolder();
  placeLock(folder, 1, { ...ownIdentity(), host: 'elsewhere', pid: 4_194_304, released: false });
  const holder = takeFlock(join(folder, 'lock.1'))!;
  await expect(openJournal(folder).claim(RUN)).rejects.toMatchObject({
    code: 'RUN_LOCKED',
    message: expect.stringContaining('process 4194304 on elsewhere'),
  });
  expect(isLocked(folder)).toBe(true);
  holder.release();
  expect(isLocked(folder)).toBe(false);
  expect(await openJournal(folder).claim(RUN)).toMatchObject({ epoch: 2 });
});

test('an unreadable lock counts while it is held', async () => {
  const folder = auditFolder();
  writeFileSync(join(folder, 'lock.1'), '{"pid":');
  const holder = takeFlock(join(folder, 'lock.1'))!;
  await expect(openJournal(folder).claim(RUN)).rejects.toMatchObject({ code: 'RUN_LOCKED' });
  holder.release();
  expect(await openJournal(folder).claim(RUN)).toMatchObject({ epoch: 2 });
});

test('a run is held from the claim to the release', async () => {
  const folder = auditFolder();
  const journal = openJournal(folder);
  expect(isLocked(folder)).toBe(false);
  const { epoch } = await journal.claim(RUN);
  expect(isLocked(folder)).toBe(true);
  await journal.release(RUN, epoch);
  expect(isLocked(folder)).toBe(false);
});

test('temporary files of a killed process are removed', async () => {
  const folder = auditFolder();
  writeFileSync(join(folder, 'lock.tmp-4194304-00'), '');
  await openJournal(folder).claim(RUN);
  expect(lockFiles(folder)).toEqual(['lock.1']);
});

test('an append is fenced once another process holds a newer lock', async () => {
  const folder = auditFolder();
  const journal = openJournal(folder);
  const { epoch } = await journal.claim(RUN);
  await appendOrThrow(journal, epoch, 0, drafts(1));
  placeLock(folder, 2, { ...ownIdentity(), released: false });
  const other = takeFlock(join(folder, 'lock.2'))!;
  expect(await journal.append(RUN, epoch, 1, drafts(1))).toEqual({ ok: false, reason: 'fenced' });
  other.release();
  await journal.release(RUN, epoch);
  expect(JSON.parse(readFileSync(join(folder, 'lock.2'), 'utf8')).released).toBe(false);
});

test.each([
  ['removes the lock', (folder: string) => rmSync(join(folder, 'lock.1'))],
  ['adds a newer lock that is not held', (folder: string) => writeFileSync(join(folder, 'lock.2'), '{}')],
  ['adds a folder', (folder: string) => mkdirSync(join(folder, 'lock.2'))],
  ['adds a link', (folder: string) => symlinkSync('/dev/zero', join(folder, 'lock.2'))],
  ['removes the log', (folder: string) => rmSync(join(folder, 'events.jsonl'))],
  ['appends to the log', (folder: string) => appendFileSync(join(folder, 'events.jsonl'), 'x')],
])('a program that %s does not take the run over, and the files are restored', async (_, touch) => {
  const folder = auditFolder();
  const journal = openJournal(folder);
  const { epoch } = await journal.claim(RUN);
  await appendOrThrow(journal, epoch, 0, drafts(1));
  touch(folder);
  await appendOrThrow(journal, epoch, 1, drafts(1));
  expect(journal.putBack(RUN, epoch)).toHaveLength(1);
  await appendOrThrow(journal, epoch, 2, drafts(1));
  expect(journal.putBack(RUN, epoch)).toEqual([]);
  expect(isLocked(folder)).toBe(true);
  await journal.release(RUN, epoch);
  expect(await openJournal(folder).claim(RUN)).toMatchObject({ epoch: 2, lastSeq: 3, repaired: null });
});

test('an append is fenced if the log has grown while the lock was gone', async () => {
  const folder = auditFolder();
  const journal = openJournal(folder);
  const { epoch } = await journal.claim(RUN);
  rmSync(join(folder, 'lock.1'));
  const other = openJournal(folder);
  await appendOrThrow(other, (await other.claim(RUN)).epoch, 0, drafts(1));
  await other.release(RUN, 1);
  expect(await journal.append(RUN, epoch, 0, drafts(1))).toEqual({ ok: false, reason: 'fenced' });
});

test('an append is fenced if its lock is gone, even if another one has its number', async () => {
  const folder = auditFolder();
  const journal = openJournal(folder);
  const { epoch } = await journal.claim(RUN);
  rmSync(join(folder, 'lock.1'));
  const other = openJournal(folder);
  expect((await other.claim(RUN)).epoch).toBe(1);
  expect(await journal.append(RUN, epoch, 0, drafts(1))).toEqual({ ok: false, reason: 'fenced' });
  expect(await other.append(RUN, 1, 0, drafts(1))).toMatchObject({ ok: true, lastSeq: 1 });
});

test('an append without a claim, or after the release, is fenced', async () => {
  const folder = auditFolder();
  const journal = openJournal(folder);
  expect(await journal.append(RUN, 1, 0, drafts(1))).toEqual({ ok: false, reason: 'fenced' });
  const { epoch } = await journal.claim(RUN);
  await journal.release(RUN, epoch);
  await journal.release(RUN, epoch);
  expect(await journal.append(RUN, epoch, 0, drafts(1))).toEqual({ ok: false, reason: 'fenced' });
});

test('a run without a folder is not found', async () => {
  const journal = openJournal(join(auditFolder(), 'missing'));
  await expect(journal.claim(RUN)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  await expect(journal.read(RUN)[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
});

test('the error names a read-only folder', async () => {
  const { folder, disk } = auditFolderOnSmallDisk('256k');
  makeReadOnly(disk);
  await expect(openJournal(folder).claim(RUN)).rejects.toMatchObject({
    code: 'RUN_FOLDER_READ_ONLY',
    facts: { path: folder },
  });
});

test('a failed claim releases the lock', async () => {
  const folder = auditFolder();
  mkdirSync(join(folder, 'events.jsonl'));
  await expect(openJournal(folder).claim(RUN)).rejects.toMatchObject({ code: 'RECORDING_FAILED' });
  rmSync(join(folder, 'events.jsonl'), { recursive: true });
  expect(await openJournal(folder).claim(RUN)).toMatchObject({ epoch: 2 });
});
