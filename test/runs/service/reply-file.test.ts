import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { RunFolder } from '../../../src/recording/index.ts';
import { findReply, rememberReply } from '../../../src/runs/service/reply-file.ts';
import { RecordedRuns } from '../../storage/recorded-runs.ts';
import { smallDisk } from '../../support/small-disk.ts';
import { temporaryFolder } from '../../support/tacho.ts';

function waitingRun(home = temporaryFolder()): { folder: RunFolder; runId: string; file: string } {
  const runs = new RecordedRuns(home);
  const { run_id: runId } = runs.add({ status: 'waiting_user' });
  const folder = runs.folder(runId);
  return { folder, runId, file: path.join(folder.audit, 'replies.jsonl') };
}

const answer = (run_id: string, attempt = 2) => ({
  run_id,
  interaction_id: '1.1',
  attempt,
  accepted_at: '2026-11-15T08:00:00.000Z',
});

test('a reply is remembered by its key, in a file of the run that only the user can read', () => {
  const { folder, runId, file } = waitingRun();
  expect(findReply(folder, 'k')).toBeNull();
  rememberReply(folder, { key: 'k', digest: 'abc', answer: answer(runId) });
  rememberReply(folder, { key: 'ключ "2"\n', digest: 'def', answer: answer(runId, 3) });
  expect(findReply(folder, 'k')).toEqual({ key: 'k', digest: 'abc', answer: answer(runId) });
  expect(findReply(folder, 'ключ "2"\n')?.answer.attempt).toBe(3);
  expect(findReply(folder, 'other')).toBeNull();
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
});

test('of two under one key the last one counts: the first never got to the events', () => {
  const { folder, runId } = waitingRun();
  rememberReply(folder, { key: 'k', digest: 'first', answer: answer(runId, 2) });
  rememberReply(folder, { key: 'k', digest: 'second', answer: answer(runId, 3) });
  expect(findReply(folder, 'k')?.digest).toBe('second');
});

test('a line that a crash cut off counts for nothing, and takes nothing with it', () => {
  const { folder, runId, file } = waitingRun();
  rememberReply(folder, { key: 'kept', digest: 'abc', answer: answer(runId) });
  const whole = fs.readFileSync(file, 'utf8');
  fs.appendFileSync(file, whole.replace('kept', 'torn').slice(0, -1));
  expect(findReply(folder, 'torn')).toBeNull();
  fs.writeFileSync(file, `${whole}${whole.slice(0, 20)}`);
  rememberReply(folder, { key: 'next', digest: 'def', answer: answer(runId) });
  expect(findReply(folder, 'kept')?.digest).toBe('abc');
  expect(findReply(folder, 'next')?.digest).toBe('def');
});

test('a reply that cannot be kept is refused', () => {
  const disk = smallDisk('64k');
  const { folder, runId } = waitingRun(disk);
  fs.writeFileSync(path.join(disk, 'filler'), Buffer.alloc(40 * 1024));
  expect(() => {
    for (let number = 0; number < 20; number++) {
      rememberReply(folder, { key: `${number}${'k'.repeat(8000)}`, digest: 'abc', answer: answer(runId) });
    }
  }).toThrow(expect.objectContaining({ code: 'DISK_FULL' }));
  expect(findReply(folder, `0${'k'.repeat(8000)}`)?.digest).toBe('abc');
});
