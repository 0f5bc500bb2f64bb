import fs from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { takeFlock } from '../../../src/files/index.ts';
import { runFolderAt } from '../../../src/recording/index.ts';
import { whenUnlocked } from '../../../src/runs/state/with-run-lock.ts';
import { temporaryFolder } from '../../support/tacho.ts';

test('a repair turn waits for the process that removes the files of the last attempt, however long that takes', async () => {
  const folder = runFolderAt(path.join(temporaryFolder(), 'run'));
  fs.mkdirSync(folder.audit, { recursive: true });
  const lock = takeFlock(path.join(folder.audit, 'lock.1'))!;
  let isFree = false;
  const waited = whenUnlocked(folder).then(() => isFree);
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 3_600_000);
  onTestFinished(() => clock.mockRestore());
  // It has looked again by then.
  await setTimeout(600);
  isFree = true;
  lock.release();
  expect(await waited).toBe(true);
});
