import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** A real file system of a few kilobytes, to fill it up or to make it read-only. Removed when the test ends. */
export function smallDisk(size: string): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { encoding: 'utf8' });
  onTestFinished(() => {
    spawnSync('umount', ['-l', folder]);
    fs.rmdirSync(folder);
  });
  if (mounted.status === 0) return folder;
  throw new Error(
    `this test needs a separate file system and may not mount one (${mounted.stderr.trim()}).\n` +
      'Run the tests as root, or with: unshare --user --map-root-user --mount npm test',
  );
}

export function makeReadOnly(disk: string): void {
  const remounted = spawnSync('mount', ['-o', 'remount,ro', disk], { encoding: 'utf8' });
  if (remounted.status !== 0) throw new Error(`could not make ${disk} read-only: ${remounted.stderr}`);
}
