import fs from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { takeFolderFlock } from '../../src/files/index.ts';
import { keepPackage, oldPackages, readKeptPackage, removeKeptPackage } from '../../src/skills/index.ts';
import { temporaryFolder } from './skill-folder.ts';

const HOUR_MS = 3_600_000;
const FILES = new Map([['SKILL.md', { bytes: Buffer.from('# One\n'), isExecutable: false }]]);

async function keptLongAgo() {
  const root = path.join(temporaryFolder(), 'packages');
  const sha256 = await keepPackage(root, FILES);
  const then = new Date(Date.now() - 2 * HOUR_MS);
  fs.utimesSync(path.join(root, sha256), then, then);
  expect(oldPackages(root, HOUR_MS)).toEqual([sha256]);
  return { root, sha256 };
}

/** Long enough for a step that does not wait. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await setImmediate();
}

test('a package that is kept again while its removal waits is not removed', async () => {
  const { root, sha256 } = await keptLongAgo();
  const lock = takeFolderFlock(root)!;
  const removed = removeKeptPackage(root, sha256, HOUR_MS);
  await turns();
  const now = new Date();
  fs.utimesSync(path.join(root, sha256), now, now);
  lock.release();
  expect(await removed).toBeNull();
  expect(readKeptPackage(root, sha256, 'one')).toEqual(FILES);
});

test('a package that is removed while it is about to be kept again is written again', async () => {
  const { root, sha256 } = await keptLongAgo();
  const lock = takeFolderFlock(root)!;
  const kept = keepPackage(root, FILES);
  await turns();
  fs.rmSync(path.join(root, sha256), { recursive: true });
  lock.release();
  expect(await kept).toBe(sha256);
  expect(readKeptPackage(root, sha256, 'one')).toEqual(FILES);
  expect(oldPackages(root, HOUR_MS)).toEqual([]);
});

test('two removals of one package remove it once', async () => {
  const { root, sha256 } = await keptLongAgo();
  const results = await Promise.all([1, 2].map(() => removeKeptPackage(root, sha256, HOUR_MS)));
  expect(results.sort()).toEqual([6, null]);
  expect(fs.readdirSync(root)).toEqual([]);
});
