import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type FsDiff, fsDiffSchema } from '../../../src/protocol/index.ts';
import { type DiffOptions, diffFs } from '../../../src/recording/snapshot/fs-diff.ts';
import { GONE, unreadableListing } from '../../../src/recording/snapshot/listing.ts';
import { type Snapshot, snapshotFs } from '../../../src/recording/snapshot/snapshot.ts';
import { temporaryFolder, write } from './temporary-folder.ts';

const names = (diff: FsDiff) => ({
  created: diff.created.map(({ path }) => path),
  modified: diff.modified.map(({ path }) => path),
  deleted: diff.deleted.map(({ path }) => path),
});

/** The diff of the changes that `change` makes to a tree. */
async function diffOf(root: string, change: () => void, options?: DiffOptions): Promise<FsDiff> {
  const before = await snapshotFs(root);
  change();
  const after = await snapshotFs(root, [], { previous: before });
  return fsDiffSchema.parse(diffFs(before, after, options));
}

describe('diffFs', () => {
  it('lists created, modified and deleted entries, with both states', async () => {
    const root = temporaryFolder();
    write(root, 'kept', 'kept');
    write(root, 'changed', 'before');
    write(root, 'old/file', 'old');
    const diff = await diffOf(root, () => {
      write(root, 'changed', 'after!');
      write(root, 'new/file', 'new');
      fs.rmSync(path.join(root, 'old'), { recursive: true });
    });
    expect(names(diff)).toEqual({
      created: ['new', 'new/file'],
      modified: ['changed'],
      deleted: ['old', 'old/file'],
    });
    expect(diff.modified[0]).toMatchObject({
      type: 'file',
      before: { path: 'changed', sha256: createHash('sha256').update('before').digest('hex') },
      after: { path: 'changed', sha256: createHash('sha256').update('after!').digest('hex') },
      before_blob: null,
      after_blob: null,
    });
    expect(diff.created[1]).toMatchObject({ before: null, after: { path: 'new/file' } });
    expect(diff.deleted[1]).toMatchObject({ before: { path: 'old/file' }, after: null });
    expect(diff.unreadable).toEqual([]);
  });

  it('counts a mode, a type or a target as a change, but not times alone', async () => {
    const root = temporaryFolder();
    for (const file of ['mode', 'type', 'touched', 'rewritten', 'folder/inside']) write(root, file, 'content');
    fs.symlinkSync('one', path.join(root, 'link'));
    const diff = await diffOf(root, () => {
      fs.chmodSync(path.join(root, 'mode'), 0o755);
      fs.rmSync(path.join(root, 'type'));
      fs.symlinkSync('touched', path.join(root, 'type'));
      fs.utimesSync(path.join(root, 'touched'), 1, 1);
      fs.rmSync(path.join(root, 'rewritten'));
      write(root, 'rewritten', 'content');
      fs.rmSync(path.join(root, 'link'));
      fs.symlinkSync('two', path.join(root, 'link'));
      fs.utimesSync(path.join(root, 'folder'), 1, 1);
    });
    expect(names(diff)).toEqual({ created: [], modified: ['link', 'mode', 'type'], deleted: [] });
    expect(diff.modified.map(({ type }) => type)).toEqual(['symlink', 'file', 'symlink']);
  });

  it('shows a rename as a deletion and a creation, with everything below', async () => {
    const root = temporaryFolder();
    write(root, 'a/b/c', 'c');
    const diff = await diffOf(root, () => fs.renameSync(path.join(root, 'a'), path.join(root, 'z')));
    expect(names(diff)).toEqual({ created: ['z', 'z/b', 'z/b/c'], modified: [], deleted: ['a', 'a/b', 'a/b/c'] });
  });

  it('lists the entries of a folder that became a file, and of a file that became a folder', async () => {
    const root = temporaryFolder();
    write(root, 'folder/inside', 'x');
    write(root, 'file', 'x');
    const diff = await diffOf(root, () => {
      fs.rmSync(path.join(root, 'folder'), { recursive: true });
      write(root, 'folder', 'now a file');
      fs.rmSync(path.join(root, 'file'));
      write(root, 'file/inside', 'now a folder');
    });
    expect(names(diff)).toEqual({
      created: ['file/inside'],
      modified: ['file', 'folder'],
      deleted: ['folder/inside'],
    });
  });

  it('orders by the bytes of the path', async () => {
    const root = temporaryFolder();
    const created = ['A', 'a', 'a b', 'a.b', 'a/x', 'a0', 'z', 'é'];
    const diff = await diffOf(root, () => {
      for (const file of [...created].reverse()) if (file !== 'a') write(root, file, '');
      fs.writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x7f])]), '');
      fs.writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff])]), '');
    });
    expect(names(diff).created).toEqual(['A', 'a', 'a b', 'a.b', 'a/x', 'a0', 'z', '\x7f', 'é', '\ufffd']);
    expect(diff.created.at(-1)?.path_bytes).toBe('/w==');
  });

  it('skips entries below a folder that could not be listed before or after', async () => {
    const root = temporaryFolder();
    write(root, 'closed/file', 'x');
    write(root, 'other', 'x');
    const open = await snapshotFs(root);
    const closed = withListing(open, 'closed', unreadableListing('EACCES'));
    for (const [before, after] of [
      [open, closed],
      [closed, open],
      [closed, closed],
    ] as const) {
      const diff = diffFs(before, after);
      expect(names(diff)).toEqual({ created: [], modified: [], deleted: [] });
      expect(diff.unreadable).toEqual([{ path: 'closed', error: 'EACCES' }]);
    }
  });

  it('leaves out a folder that disappeared during the snapshot', async () => {
    const root = temporaryFolder();
    write(root, 'gone/file', 'x');
    write(root, 'kept', 'x');
    const before = await snapshotFs(root);
    expect(names(diffFs(before, withListing(before, 'gone', GONE))).deleted).toEqual(['gone', 'gone/file']);
  });

  it('marks files that tacho injected, and their folders, unless the program changed them', async () => {
    const root = temporaryFolder();
    const sha256 = createHash('sha256').update('skill').digest('hex');
    const change = () => {
      write(root, '.agent/skills/one.md', 'skill');
      write(root, '.agent/skills/two.md', 'skill, improved');
      write(root, 'result', 'r');
    };
    const paths = ['.agent/skills/one.md', '.agent/skills/two.md'];
    const byHash = await diffOf(root, change, { injected: new Map(paths.map((path) => [path, sha256])) });
    expect(byHash.created.map(({ path, injected }) => [path, injected])).toEqual([
      ['.agent', true],
      ['.agent/skills', true],
      ['.agent/skills/one.md', true],
      ['.agent/skills/two.md', undefined],
      ['result', undefined],
    ]);
    fs.rmSync(path.join(root, '.agent'), { recursive: true });
    const byPath = await diffOf(root, change, { injected: new Set(paths) });
    expect(byPath.created.filter(({ injected }) => injected)).toHaveLength(4);
  });
});

function withListing(snapshot: Snapshot, path: string, listing: typeof GONE): Snapshot {
  return { ...snapshot, directories: new Map(snapshot.directories).set(path, listing) };
}
