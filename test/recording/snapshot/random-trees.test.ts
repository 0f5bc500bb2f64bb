import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fsDiffSchema } from '../../../src/protocol/index.ts';
import { diffFs } from '../../../src/recording/snapshot/fs-diff.ts';
import { entriesOf } from '../../../src/recording/snapshot/fs-entry.ts';
import { snapshotFs } from '../../../src/recording/snapshot/snapshot.ts';
import { readSnapshot, writeSnapshot } from '../../../src/recording/snapshot/snapshot-file.ts';
import { proofSize } from '../../support/proof-size.ts';
import { naiveDiff, naiveSnapshot } from './naive-snapshot.ts';
import { temporaryFolder } from './temporary-folder.ts';

const name = fc.constantFrom('a', 'b', 'a.b', 'a"b', 'é', 'a b\n');
const place = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
const content = fc.constantFrom('', 'one', 'two', 'three\n', '\0binary', 'x'.repeat(5_000));
const mode = fc.constantFrom(0o644, 0o600, 0o755, 0o444);

const change = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('write' as const), place, content }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('append' as const), place, content }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rewriteInPlace' as const), place, content }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('folder' as const), place }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), place }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rename' as const), place, to: place }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('hardLink' as const), place, to: place }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('symlink' as const), place, to: place }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('mode' as const), place, mode }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('touch' as const), place }) },
);
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

/** Changes that the current tree does not allow are skipped: the file system decides. */
function apply(root: string, changes: readonly Change[]): void {
  for (const step of changes) {
    const target = path.join(root, step.place);
    try {
      switch (step.kind) {
        case 'write':
          fs.mkdirSync(path.dirname(target), { recursive: true });
          fs.writeFileSync(target, step.content);
          break;
        case 'append':
          if (fs.statSync(target).isFile()) fs.appendFileSync(target, step.content);
          break;
        case 'rewriteInPlace': {
          // The same length and mtime: only ctime differs.
          const { atime, mtime, size } = fs.statSync(target);
          fs.writeFileSync(target, step.content.padEnd(size).slice(0, size), { flag: 'r+' });
          fs.utimesSync(target, atime, mtime);
          break;
        }
        case 'folder':
          fs.mkdirSync(target, { recursive: true });
          break;
        case 'remove':
          fs.rmSync(target, { recursive: true });
          break;
        case 'rename':
          fs.renameSync(target, path.join(root, step.to));
          break;
        case 'hardLink':
          fs.linkSync(target, path.join(root, step.to));
          break;
        case 'symlink':
          fs.symlinkSync(step.to, target);
          break;
        case 'mode':
          if (fs.lstatSync(target).isFile()) fs.chmodSync(target, step.mode);
          break;
        case 'touch':
          fs.utimesSync(target, 1_000_000, 2_000_000);
          break;
      }
    } catch {
      // Not possible here.
    }
  }
}

const changes = fc.array(change, { maxLength: 25 });

describe('random trees and random changes', () => {
  it('give the same entries as reading everything again, and the same diff as comparing everything', async () => {
    await fc.assert(
      fc.asyncProperty(changes, fc.array(changes, { minLength: 1, maxLength: 3 }), async (first, rounds) => {
        const root = temporaryFolder();
        apply(root, first);
        let previous = await snapshotFs(root);
        let naivePrevious = naiveSnapshot(root);
        for (const round of rounds) {
          apply(root, round);
          const naive = naiveSnapshot(root);
          const incremental = await snapshotFs(root, [], { previous });
          expect(Array.from(entriesOf(incremental))).toEqual(naive);
          expect(Array.from(entriesOf(await snapshotFs(root)))).toEqual(naive);
          expect(incremental.entryCount).toBe(naive.length);
          const diff = fsDiffSchema.parse(diffFs(previous, incremental));
          expect({
            created: diff.created.map(({ path }) => path),
            modified: diff.modified.map(({ path }) => path),
            deleted: diff.deleted.map(({ path }) => path),
          }).toEqual(naiveDiff(naivePrevious, naive));
          previous = incremental;
          naivePrevious = naive;
        }
        fs.rmSync(root, { recursive: true });
      }),
      { numRuns: proofSize({ small: 30, full: 120 }) },
    );
  });

  it('are the same after being written to a file and read back', async () => {
    const folder = temporaryFolder();
    let file = 0;
    await fc.assert(
      fc.asyncProperty(changes, async (steps) => {
        const root = temporaryFolder();
        apply(root, steps);
        const snapshot = await snapshotFs(root);
        const target = path.join(folder, `${file++}.json`);
        await writeSnapshot(snapshot, target);
        const read = await readSnapshot(target);
        expect(Array.from(entriesOf(read))).toEqual(Array.from(entriesOf(snapshot)));
        const { created, modified, deleted } = diffFs(snapshot, read);
        expect([...created, ...modified, ...deleted]).toEqual([]);
        fs.rmSync(root, { recursive: true });
      }),
      { numRuns: proofSize({ small: 15, full: 60 }) },
    );
  });
});
