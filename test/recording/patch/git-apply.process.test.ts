import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mergeChanges } from '../../../src/record/index.ts';
import { planPatch } from '../../../src/recording/patch/plan-patch.ts';
import { writePatch } from '../../../src/recording/patch/write-patch.ts';
import { storeBlobs } from '../../../src/recording/snapshot/blobs.ts';
import { openContentCache } from '../../../src/recording/snapshot/content-cache.ts';
import { diffFs } from '../../../src/recording/snapshot/fs-diff.ts';
import { snapshotFs } from '../../../src/recording/snapshot/snapshot.ts';
import { proofSize } from '../../support/proof-size.ts';
import { readTree, type Tree, twoTrees, writeTree } from './random-tree.ts';

/** The patch from one tree to the other, made from the content that a run keeps. */
async function patchBetween(folder: string, before: Tree, after: Tree): Promise<Buffer> {
  const at = (name: string) => path.join(folder, name);
  for (const name of ['root', 'audit', 'cache']) fs.mkdirSync(at(name));
  writeTree(at('root'), before);
  const first = await snapshotFs(at('root'), [], { contents: openContentCache(at('cache')) });
  fs.rmSync(at('root'), { recursive: true });
  fs.mkdirSync(at('root'));
  writeTree(at('root'), after);
  const second = await snapshotFs(at('root'));
  const options = { root: at('root'), audit: at('audit'), cache: at('cache') };
  const { steps } = planPatch(mergeChanges([await storeBlobs(diffFs(first, second), options)]));
  const readBlob = (sha256: string) => fs.readFileSync(at(`audit/blobs/${sha256}`));
  const parts = steps.map((step) => writePatch(step, { readBlob }));
  expect(parts.flatMap(({ missing }) => missing)).toEqual([]);
  return Buffer.concat(parts.map(({ patch }) => patch!));
}

function git(cwd: string, args: readonly string[], input: Buffer = Buffer.alloc(0)): void {
  const env = {
    PATH: process.env.PATH,
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CEILING_DIRECTORIES: path.dirname(cwd),
  };
  const { status, stderr } = spawnSync('git', args, { cwd, env, input });
  expect([status, status === 0 ? '' : stderr.toString()]).toEqual([0, '']);
}

describe('a patch', () => {
  it('turns a copy of the old tree into the new one and back, inside and outside of a repository', async () => {
    await fc.assert(
      fc.asyncProperty(twoTrees, fc.boolean(), async ({ before, after }, inRepository) => {
        const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-patch-'));
        try {
          const patch = await patchBetween(folder, before, after);
          const copy = path.join(folder, 'copy');
          fs.mkdirSync(copy);
          writeTree(copy, before);
          if (inRepository) git(copy, ['init', '-q']);
          if (patch.length === 0) {
            expect(readTree(copy)).toEqual(readTree(path.join(folder, 'root')));
            return;
          }
          const start = readTree(copy);
          git(copy, ['apply', '--whitespace=nowarn'], patch);
          expect(readTree(copy)).toEqual(readTree(path.join(folder, 'root')));
          git(copy, ['apply', '-R', '--whitespace=nowarn'], patch);
          expect(readTree(copy)).toEqual(start);
        } finally {
          fs.rmSync(folder, { recursive: true, force: true });
        }
      }),
      { numRuns: proofSize({ small: 30, full: 600 }) },
    );
  });

  it.each([
    ['dense', (length: number) => randomBytes(length)],
    ['compressible', (length: number) => Buffer.alloc(length, 'a line of text, and a NUL \0\n')],
  ])('applies to large %s files of any length', async (_, content) => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-patch-'));
    onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
    const treeOf = (seed: number): Tree =>
      new Map(
        [0, 1, 2, 3].map((more) => {
          const bytes = content(1024 * 1024 + more);
          bytes.writeUInt32LE(seed);
          return [`file ${more}`, { type: 'file', content: bytes, executable: false }];
        }),
      );
    const before = treeOf(1);
    const patch = await patchBetween(folder, before, treeOf(2));
    const copy = path.join(folder, 'copy');
    fs.mkdirSync(copy);
    writeTree(copy, before);
    git(copy, ['apply'], patch);
    expect(readTree(copy)).toEqual(readTree(path.join(folder, 'root')));
  });
});
