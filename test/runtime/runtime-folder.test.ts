import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { locateRuntime, prepareRuntime } from '../../src/runtime/daemon/runtime-folder.ts';
import { proofSize } from '../support/proof-size.ts';
import { temporaryFolder } from '../support/tacho.ts';
import { swap } from './swap.ts';

const TRIES = proofSize({ small: 4000, full: 200_000 });
const NOBODY_UID = 65_534;

function workspaceWith(make: (tacho: string) => void): string {
  const workspace = temporaryFolder();
  make(path.join(workspace, '.tacho'));
  return workspace;
}

test('creates a private folder for the runtime', () => {
  const folder = locateRuntime(temporaryFolder());
  prepareRuntime(folder).release();
  expect(fs.statSync(folder.path).mode & 0o777).toBe(0o700);
  fs.chmodSync(folder.path, 0o755);
  prepareRuntime(folder).release();
  expect(fs.statSync(folder.path).mode & 0o777).toBe(0o700);
  expect(fs.readFileSync(path.join(folder.path, '.gitignore'), 'utf8')).toBe('*\n');
});

const foreign: [string, (tacho: string) => void][] = [
  [
    'that belongs to another user',
    (tacho) => {
      fs.mkdirSync(tacho);
      fs.chownSync(tacho, NOBODY_UID, NOBODY_UID);
    },
  ],
  [
    'whose folder of the runtime belongs to another user',
    (tacho) => {
      fs.mkdirSync(path.join(tacho, 'runtime'), { recursive: true });
      fs.chownSync(path.join(tacho, 'runtime'), NOBODY_UID, NOBODY_UID);
    },
  ],
];

test.each<[string, (tacho: string) => void]>([
  // Only root can change the owner of a folder.
  ...(process.getuid!() === 0 ? foreign : []),
  [
    'that others may write',
    (tacho) => {
      fs.mkdirSync(tacho);
      fs.chmodSync(tacho, 0o777);
    },
  ],
  [
    'that a group may write',
    (tacho) => {
      fs.mkdirSync(tacho);
      fs.chmodSync(tacho, 0o775);
    },
  ],
  ['that is a link', (tacho) => fs.symlinkSync(temporaryFolder(), tacho)],
  ['that is a file', (tacho) => fs.writeFileSync(tacho, '')],
  [
    'whose folder of the runtime is a link',
    (tacho) => {
      fs.mkdirSync(tacho);
      fs.symlinkSync(temporaryFolder(), path.join(tacho, 'runtime'));
    },
  ],
])('refuses a .tacho %s', (_, make) => {
  const folder = locateRuntime(workspaceWith(make));
  expect(() => prepareRuntime(folder)).toThrow(
    expect.objectContaining({ code: 'AUTH_FAILED', fix: expect.any(String) }),
  );
});

test('nothing is written elsewhere while a program swaps the runtime folder for a link', async () => {
  const victim = temporaryFolder();
  fs.chmodSync(victim, 0o700);
  fs.writeFileSync(path.join(victim, '.gitignore'), 'mine');
  const folder = locateRuntime(temporaryFolder());
  prepareRuntime(folder).release();
  fs.symlinkSync(victim, `${folder.path}.link`);
  await swap(folder.path, `${folder.path}.link`);
  let prepared = 0;
  for (let index = 0; index < TRIES; index++) {
    try {
      prepareRuntime(folder).release();
      prepared++;
    } catch {
      // The link, or nothing, was in place.
    }
  }
  expect(fs.readdirSync(victim)).toEqual(['.gitignore']);
  expect(fs.readFileSync(path.join(victim, '.gitignore'), 'utf8')).toBe('mine');
  expect(prepared).toBeGreaterThan(0);
});
