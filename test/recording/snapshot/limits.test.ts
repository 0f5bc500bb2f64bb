import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openContentCache } from '../../../src/recording/snapshot/content-cache.ts';
import { diffFs } from '../../../src/recording/snapshot/fs-diff.ts';
import { entriesOf } from '../../../src/recording/snapshot/fs-entry.ts';
import { type Snapshot, snapshotFs } from '../../../src/recording/snapshot/snapshot.ts';
import { settle, temporaryFolder, write } from './temporary-folder.ts';

/** Forty files in two levels of folders. */
function tree(): string {
  const root = temporaryFolder();
  for (let index = 0; index < 40; index++) write(root, `${index % 4}/${index % 8}/file-${index}`, `${index}`);
  write(root, 'top', 'top');
  return root;
}

/** A clock that passes six of ten seconds at the start: too late to hash, in time to list. */
function noTimeToHash() {
  onTestFinished(() => void vi.restoreAllMocks());
  return vi.spyOn(performance, 'now').mockReturnValue(6_000).mockReturnValueOnce(0);
}

describe('a snapshot with limits', () => {
  it('covers entries near the root if there are too many', async () => {
    const root = tree();
    const limits = { entries: 14 };
    const before = await snapshotFs(root, [], { limits });
    expect(Array.from(entriesOf(before), ({ path }) => path)).toEqual(
      expect.arrayContaining(['0', '1', '2', '3', 'top', '0/0', '0/4', '3/7']),
    );
    write(root, 'top', 'changed');
    write(root, '3/7/file-7', 'changed');
    const after = await snapshotFs(root, [], { limits, previous: before, ignoreFiles: 'previous' });
    const diff = diffFs(before, after);
    expect(diff).toMatchObject({ created: [], deleted: [], unreadable: [] });
    expect(diff.modified.map(({ path }) => path)).toEqual(['top']);
    expect(diff.not_covered).toEqual([
      { by: 'recording.snapshot_entries', paths: expect.any(Number), examples: expect.arrayContaining(['3/7']) },
    ]);
  });

  it('lists no folder that exceeds the limit by itself', async () => {
    const root = temporaryFolder();
    for (let index = 0; index < 20; index++) write(root, `large/${index}`);
    write(root, 'small/file');
    const snapshot = await snapshotFs(root, [], { limits: { entries: 10 } });
    expect(Array.from(entriesOf(snapshot), ({ path, error }) => [path, error])).toEqual([
      ['large', 'ENTRY_LIMIT'],
      ['small', undefined],
      ['small/file', undefined],
    ]);
  });

  it('reports nothing wrong, wherever time runs out before and after', async () => {
    const root = tree();
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now++);
    onTestFinished(() => void vi.restoreAllMocks());
    const cuts = new Set<number>();
    for (let milliseconds = 1; milliseconds < 600; milliseconds += 23) {
      const before = await snapshotFs(root, [], { limits: { milliseconds } });
      for (const later of [milliseconds, 10_000]) {
        const options = { previous: before, ignoreFiles: 'previous', limits: { milliseconds: later } } as const;
        const diff = diffFs(before, await snapshotFs(root, [], options));
        expect(diff).toMatchObject({ created: [], modified: [], deleted: [], unreadable: [] });
        cuts.add(diff.not_covered?.[0]?.paths ?? 0);
      }
    }
    expect(cuts.size).toBeGreaterThan(5);
    expect(cuts).toContain(0);
  });

  it('finds a change in a file that it had no time to hash', async () => {
    const root = tree();
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now++);
    onTestFinished(() => void vi.restoreAllMocks());
    const before = await snapshotFs(root, [], { limits: { milliseconds: 150 } });
    clock.mockRestore();
    const unhashed = Array.from(entriesOf(before)).filter(({ error }) => error === 'TIME_LIMIT' || error === undefined);
    const late = unhashed.find(({ type, sha256 }) => type === 'file' && sha256 === null)!;
    write(root, late.path, 'something else');
    const diff = diffFs(before, await snapshotFs(root, [], { previous: before, ignoreFiles: 'previous' }));
    expect(diff.modified.map(({ path }) => path)).toEqual([late.path]);
    expect(diff.modified[0]?.after?.sha256).not.toBeNull();
  });

  it('hashes files it had no time for in the next run, not at the end of the same one', async () => {
    const root = tree();
    await settle();
    const limits = { milliseconds: 10_000 };
    const hashed = (snapshot: Snapshot) =>
      Array.from(entriesOf(snapshot)).filter(({ sha256 }) => sha256 !== null).length;
    const clock = noTimeToHash();
    const before = await snapshotFs(root, [], { limits });
    clock.mockRestore();
    const after = await snapshotFs(root, [], { previous: before, ignoreFiles: 'previous' });
    expect([hashed(before), hashed(after)]).toEqual([0, 0]);
    expect(diffFs(before, after)).toMatchObject({
      modified: [],
      not_covered: [{ by: 'recording.snapshot_ms', paths: 41 }],
    });
    const next = await snapshotFs(root, [], { previous: after });
    expect(hashed(next)).toBe(41);

    // Now all hashes are known, but the content cache is empty: too late to fill it, in time to keep the hashes.
    await settle();
    const settled = await snapshotFs(root, [], { previous: next });
    noTimeToHash();
    const contents = openContentCache(temporaryFolder());
    expect(hashed(await snapshotFs(root, [], { previous: settled, contents, limits }))).toBe(41);
  });

  it('does not enter other file systems', async () => {
    const limits = { entries: 500, milliseconds: 1_000 };
    const snapshot = await snapshotFs('/', [], { limits });
    expect(snapshot.directories.get('proc')?.error).toBe('OTHER_FILE_SYSTEM');
    expect(diffFs(snapshot, snapshot).not_covered).toContainEqual({
      by: 'other_file_system',
      paths: expect.any(Number),
      examples: expect.arrayContaining(['proc']),
    });
  });

  it('ends on abort', async () => {
    const root = tree();
    const signal = AbortSignal.abort();
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 1_000));
    onTestFinished(() => void vi.restoreAllMocks());
    await expect(snapshotFs(root, [], { signal })).rejects.toThrow('aborted');
  });
});
