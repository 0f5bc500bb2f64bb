import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openRunIndex, type RunIndex } from '../../src/runs/run-index/run-index.ts';
import { RecordedRuns } from '../storage/recorded-runs.ts';
import { smallDisk } from '../support/small-disk.ts';
import { temporaryFolder } from '../support/tacho.ts';

async function indexed(home = temporaryFolder()): Promise<{ index: RunIndex; runId: string; file: string }> {
  const runs = new RecordedRuns(home);
  const { run_id: runId } = runs.add({ status: 'waiting_user' });
  const index = await openRunIndex({ file: path.join(temporaryFolder(), 'index.db'), runsRoot: runs.root });
  onTestFinished(() => index.close());
  return { index, runId, file: path.join(runs.folder(runId).audit, 'replies.jsonl') };
}

const answer = (run_id: string, attempt = 2) => ({
  run_id,
  interaction_id: '1.1',
  attempt,
  accepted_at: '2026-11-15T08:00:00.000Z',
});

test('a reply is remembered by its key, in a file of the run that only the user can read', async () => {
  const { index, runId, file } = await indexed();
  expect(index.findReply(runId, 'k')).toBeNull();
  index.rememberReply(runId, 'k', 'abc', answer(runId));
  index.rememberReply(runId, 'ключ "2"\n', 'def', answer(runId, 3));
  expect(index.findReply(runId, 'k')).toEqual({ key: 'k', digest: 'abc', answer: answer(runId) });
  expect(index.findReply(runId, 'ключ "2"\n')?.answer.attempt).toBe(3);
  expect(index.findReply(runId, 'other')).toBeNull();
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
});

test('the first reply under a key counts', async () => {
  const { index, runId } = await indexed();
  index.rememberReply(runId, 'k', 'first', answer(runId, 2));
  index.rememberReply(runId, 'k', 'second', answer(runId, 3));
  expect(index.findReply(runId, 'k')?.digest).toBe('first');
});

test('a line that a crash cut off counts for nothing, and takes nothing with it', async () => {
  const { index, runId, file } = await indexed();
  index.rememberReply(runId, 'kept', 'abc', answer(runId));
  const whole = fs.readFileSync(file, 'utf8');
  fs.appendFileSync(file, whole.replace('kept', 'torn').slice(0, -1));
  expect(index.findReply(runId, 'torn')).toBeNull();
  fs.writeFileSync(file, `${whole}${whole.slice(0, 20)}`);
  index.rememberReply(runId, 'next', 'def', answer(runId));
  expect(index.findReply(runId, 'kept')?.digest).toBe('abc');
  expect(index.findReply(runId, 'next')?.digest).toBe('def');
});

test('a reply that cannot be kept is refused', async () => {
  const disk = smallDisk('64k');
  const { index, runId } = await indexed(disk);
  fs.writeFileSync(path.join(disk, 'filler'), Buffer.alloc(40 * 1024));
  expect(() => {
    for (let number = 0; number < 20; number++) {
      index.rememberReply(runId, `${number}${'k'.repeat(8000)}`, 'abc', answer(runId));
    }
  }).toThrow(expect.objectContaining({ code: 'DISK_FULL' }));
  expect(index.findReply(runId, `0${'k'.repeat(8000)}`)?.digest).toBe('abc');
});
