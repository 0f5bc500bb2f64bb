import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openContentCache } from '../../../src/recording/snapshot/content-cache.ts';
import { entriesOf } from '../../../src/recording/snapshot/fs-entry.ts';
import type { Listing } from '../../../src/recording/snapshot/listing.ts';
import { type Snapshot, snapshotFs } from '../../../src/recording/snapshot/snapshot.ts';
import { naiveSnapshot } from './naive-snapshot.ts';
import { makePipe, settle, temporaryFolder, write } from './temporary-folder.ts';

const NOBODY_UID = 65_534;

const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');
const paths = (snapshot: Snapshot) => Array.from(entriesOf(snapshot), (entry) => entry.path);
const entry = (snapshot: Snapshot, name: string) => Array.from(entriesOf(snapshot)).find(({ path }) => path === name);

describe('snapshotFs', () => {
  it('records type, size, times, mode, inode, hash and link target of everything', async () => {
    const root = temporaryFolder();
    write(root, 'empty', '');
    write(root, 'src/main.ts', 'export {};\n');
    write(root, 'src/run.sh', '#!/bin/sh\n');
    fs.chmodSync(path.join(root, 'src/run.sh'), 0o4755);
    fs.mkdirSync(path.join(root, 'src.old'));
    fs.symlinkSync('src/main.ts', path.join(root, 'link'));
    fs.linkSync(path.join(root, 'src/main.ts'), path.join(root, 'hard'));
    execFileSync('touch', ['-d', '1969-12-31 23:59:56.5 UTC', path.join(root, 'empty')]);
    const snapshot = await snapshotFs(root);
    const entries = Array.from(entriesOf(snapshot));
    expect(entries).toEqual(naiveSnapshot(root));
    expect(entries.map(({ path }) => path)).toEqual([
      'empty',
      'hard',
      'link',
      'src',
      'src.old',
      'src/main.ts',
      'src/run.sh',
    ]);
    expect(snapshot.entryCount).toBe(7);
    expect(entry(snapshot, 'empty')).toMatchObject({ size: 0, sha256: sha256(''), mtime_ns: '-3500000000' });
    expect(entry(snapshot, 'hard')?.inode).toBe(entry(snapshot, 'src/main.ts')?.inode);
  });

  it('keeps any file name', async () => {
    const root = temporaryFolder();
    const names = [
      Buffer.from('new\nline'),
      Buffer.from('"quotes" and \\back\\slashes\\'),
      Buffer.from('ünïcödé 文件 🙂'),
      Buffer.from([0x66, 0xff, 0xfe, 0x6f]),
      Buffer.from([0xc3]),
      Buffer.from('x'.repeat(255)),
      Buffer.from('\x01\x7f'),
      Buffer.from('...'),
      Buffer.from('..x'),
      Buffer.from('.x'),
    ];
    for (const name of names) fs.writeFileSync(Buffer.concat([Buffer.from(`${root}/`), name]), name);
    const snapshot = await snapshotFs(root);
    const entries = Array.from(entriesOf(snapshot));
    expect(entries).toEqual(naiveSnapshot(root));
    expect(entries.filter((entry) => entry.path_bytes !== undefined)).toHaveLength(2);
    expect(entries.every((entry) => entry.sha256 !== null)).toBe(true);
  });

  it('records symlinks without following them, inside or outside of the root', async () => {
    const outside = temporaryFolder();
    write(outside, 'secret', 'secret');
    const root = temporaryFolder();
    fs.symlinkSync(outside, path.join(root, 'folder'));
    fs.symlinkSync(path.join(outside, 'secret'), path.join(root, 'file'));
    fs.symlinkSync('nowhere', path.join(root, 'dangling'));
    fs.symlinkSync('.', path.join(root, 'loop'));
    fs.symlinkSync(Buffer.from([0xff, 0x2f]), path.join(root, 'odd'));
    const snapshot = await snapshotFs(root);
    expect(Array.from(entriesOf(snapshot), ({ path, type, target, sha256 }) => [path, type, target, sha256])).toEqual([
      ['dangling', 'symlink', 'nowhere', null],
      ['file', 'symlink', path.join(outside, 'secret'), null],
      ['folder', 'symlink', outside, null],
      ['loop', 'symlink', '.', null],
      ['odd', 'symlink', '\ufffd/', null],
    ]);
    expect(entry(snapshot, 'odd')?.target_bytes).toBe(Buffer.from([0xff, 0x2f]).toString('base64'));
  });

  it('walks a root that is reached through a symlink', async () => {
    const real = temporaryFolder();
    write(real, 'a', 'a');
    const link = path.join(temporaryFolder(), 'link');
    fs.symlinkSync(real, link);
    expect(paths(await snapshotFs(link))).toEqual(['a']);
  });

  it('never opens pipes, sockets and devices', async () => {
    const root = temporaryFolder();
    makePipe(path.join(root, 'pipe'));
    const server = net.createServer().listen(path.join(root, 'socket'));
    await new Promise((resolve) => server.once('listening', resolve));
    const snapshot = await snapshotFs(root);
    expect(Array.from(entriesOf(snapshot), ({ path, type, sha256, error }) => [path, type, sha256, error])).toEqual([
      ['pipe', 'other', null, undefined],
      ['socket', 'other', null, undefined],
    ]);
    server.close();
  });

  it('continues after files and folders it may not read', async () => {
    const root = temporaryFolder();
    fs.chmodSync(root, 0o755);
    write(root, 'open/a', 'a');
    write(root, 'closed/b', 'b');
    write(root, 'names-only/c', 'c');
    write(root, 'secret', 's');
    fs.chmodSync(path.join(root, 'closed'), 0o000);
    fs.chmodSync(path.join(root, 'names-only'), 0o644);
    fs.chmodSync(path.join(root, 'secret'), 0o000);
    const snapshot = await asNobody(() => snapshotFs(root));
    expect(Array.from(entriesOf(snapshot), ({ path, type, sha256, error }) => [path, type, sha256, error])).toEqual([
      ['closed', 'directory', null, 'EACCES'],
      ['names-only', 'directory', null, undefined],
      ['names-only/c', 'file', null, 'EACCES'],
      ['open', 'directory', null, undefined],
      ['open/a', 'file', sha256('a'), undefined],
      ['secret', 'file', null, 'EACCES'],
    ]);
    fs.chmodSync(path.join(root, 'closed'), 0o755);
    const later = await snapshotFs(root, [], { previous: snapshot });
    expect(Array.from(entriesOf(later))).toEqual(naiveSnapshot(root));
  });

  it('reports a root that may not be listed', async () => {
    const root = temporaryFolder();
    fs.chmodSync(root, 0o000);
    const snapshot = await asNobody(() => snapshotFs(root));
    expect(Array.from(entriesOf(snapshot), ({ path, error }) => [path, error])).toEqual([['.', 'EACCES']]);
  });

  it('refuses a root that is missing or is a file', async () => {
    const root = temporaryFolder();
    const file = write(root, 'file', '');
    await expect(snapshotFs(path.join(root, 'missing'))).rejects.toMatchObject({ code: 'CWD_NOT_FOUND' });
    await expect(snapshotFs(file)).rejects.toMatchObject({ code: 'CWD_NOT_FOUND' });
  });

  it('leaves out our own files and ignored folders, without entering them', async () => {
    const root = temporaryFolder();
    for (const file of ['.audit/meta.1.json', '.run.json', '.tacho/x', 'a', 'sub/.audit/kept', 'sub/.run.json']) {
      write(root, file);
    }
    for (const file of [
      'node_modules/x',
      'sub/node_modules/y',
      'build/out',
      'sub/build/kept',
      'web/dist/z',
      'web/dist2',
    ]) {
      write(root, file);
    }
    const own = ['/.audit', '/.run.json', '/.tacho'];
    const snapshot = await snapshotFs(root, ['node_modules/', '/build', './web/dist/'], { own });
    expect(snapshot.rules.list).toEqual([...own, '/build', '/web/dist', 'node_modules']);
    expect(paths(snapshot)).toEqual([
      'a',
      'sub',
      'sub/.audit',
      'sub/.audit/kept',
      'sub/.run.json',
      'sub/build',
      'sub/build/kept',
      'web',
      'web/dist2',
    ]);
    expect(snapshot.entryCount).toBe(9);
    expect([...snapshot.directories.keys()].filter((path) => path.includes('node_modules'))).toEqual([]);
  });

  it('applies another ignore list to an unchanged tree', async () => {
    const root = temporaryFolder();
    write(root, 'a/one', '1');
    write(root, 'b/two', '2');
    await settle();
    const first = await snapshotFs(root, ['a']);
    const second = await snapshotFs(root, ['b'], { previous: first });
    expect(paths(second)).toEqual(['a', 'a/one']);
    expect(entry(second, 'a/one')?.sha256).toBe(sha256('1'));
  });

  it('walks two hundred levels, and names folders beyond the longest path', async () => {
    const root = temporaryFolder();
    write(root, `${'d/'.repeat(200)}file`, 'deep');
    // Longer than PATH_MAX, so it can only be created step by step.
    execFileSync(
      'sh',
      ['-c', 'n=$(printf "%0200d" 0); for i in $(seq 25); do mkdir $n && cd -P $n || exit 1; done; echo x > file'],
      {
        cwd: root,
      },
    );
    const entries = Array.from(entriesOf(await snapshotFs(root)));
    expect(entries.find((entry) => entry.path === `${'d/'.repeat(200)}file`)?.sha256).toBe(sha256('deep'));
    const errors = entries.filter((entry) => entry.error !== undefined);
    expect(errors.map(({ type, error }) => [type, error])).toEqual([['directory', 'ENAMETOOLONG']]);
    expect(errors[0]!.path.length).toBeGreaterThan(3_800);
    execFileSync('rm', ['-rf', root]);
  });

  it('hashes large and sparse files piece by piece, and names those too large to hash', async () => {
    const root = temporaryFolder();
    const large = Buffer.alloc(3 * 1_024 * 1_024 + 17, 'tacho');
    write(root, 'large', large);
    write(root, 'one-piece', large.subarray(0, 1_024 * 1_024));
    fs.truncateSync(write(root, 'sparse'), 40 * 1_024 * 1_024);
    fs.truncateSync(write(root, 'endless'), 2 ** 43);
    const snapshot = await snapshotFs(root);
    expect(entry(snapshot, 'large')).toMatchObject({ size: large.length, sha256: sha256(large) });
    expect(entry(snapshot, 'one-piece')).toMatchObject({ sha256: sha256(large.subarray(0, 1_024 * 1_024)) });
    expect(entry(snapshot, 'sparse')).toMatchObject({ sha256: sha256(Buffer.alloc(40 * 1_024 * 1_024)) });
    expect(entry(snapshot, 'endless')).toMatchObject({ size: 2 ** 43, sha256: null, error: 'EFBIG' });
  });

  it('lists folders of many files with long names', async () => {
    const root = temporaryFolder();
    for (let index = 0; index < 2_500; index++) fs.writeFileSync(`${root}/${'n'.repeat(200)}${index}`, '');
    const snapshot = await snapshotFs(root);
    expect(snapshot.entryCount).toBe(2_500);
    expect(Array.from(entriesOf(snapshot))).toEqual(naiveSnapshot(root));
  });
});

describe('snapshotFs with a previous snapshot', () => {
  it('does not read a file again if its times, size and inode are the same', async () => {
    const root = temporaryFolder();
    write(root, 'same/file', 'content');
    write(root, 'mixed/old', 'old');
    await settle();
    const forged = withHashes(await snapshotFs(root), 'f'.repeat(64));
    write(root, 'mixed/new', 'new');
    const second = await snapshotFs(root, [], { previous: forged });
    expect(entry(second, 'same/file')?.sha256).toBe('f'.repeat(64));
    expect(entry(second, 'mixed/old')?.sha256).toBe('f'.repeat(64));
    expect(entry(second, 'mixed/new')?.sha256).toBe(sha256('new'));
    expect(second.directories.get('same')).toBe(forged.directories.get('same'));
  });

  it('reads a file again if it was written just before the previous snapshot', async () => {
    const root = temporaryFolder();
    // On a busy machine the snapshot may come later and trust the file.
    let previous: Snapshot;
    let writtenAt: number;
    do {
      writtenAt = fs.statSync(write(root, 'file', 'content')).ctimeMs;
      previous = await snapshotFs(root);
    } while (previous.takenAt - writtenAt > 10);
    const forged = withHashes(previous, 'f'.repeat(64));
    expect(entry(await snapshotFs(root, [], { previous: forged }), 'file')?.sha256).toBe(sha256('content'));
  });

  it('detects a rewrite of the same length right after a snapshot, even with its mtime restored', async () => {
    const root = temporaryFolder();
    const file = write(root, 'file', '0000');
    const time = new Date();
    fs.utimesSync(file, time, time);
    let snapshot = await snapshotFs(root);
    for (let round = 1; round <= 200; round++) {
      const content = String(round).padStart(4, '0');
      fs.writeFileSync(file, content);
      fs.utimesSync(file, time, time);
      snapshot = await snapshotFs(root, [], { previous: snapshot });
      expect(entry(snapshot, 'file')?.sha256).toBe(sha256(content));
    }
  });

  it('ignores a previous snapshot of another root', async () => {
    const one = temporaryFolder();
    const two = temporaryFolder();
    write(one, 'file', 'one');
    await settle();
    const previous = await snapshotFs(one);
    fs.renameSync(path.join(one, 'file'), path.join(two, 'file'));
    expect(paths(await snapshotFs(two, [], { previous }))).toEqual(['file']);
    expect(paths(await snapshotFs(one, [], { previous }))).toEqual([]);
  });
});

describe('snapshotFs of a tree that changes meanwhile', () => {
  it('leaves out entries that disappear after they were listed', async () => {
    const root = temporaryFolder();
    write(root, 'folder/trigger', 'trigger');
    write(root, 'folder/sub/file', 'file');
    const twins = { one: write(root, 'twins/one', 'one'), two: write(root, 'twins/two', 'two') };
    const snapshot = await snapshotWhile(root, (content) => {
      if (content === 'trigger') fs.rmSync(path.join(root, 'folder/sub'), { recursive: true });
      if (content === 'one') fs.rmSync(twins.two);
      if (content === 'two') fs.rmSync(twins.one);
    });
    expect(paths(snapshot)).toEqual(naiveSnapshot(root).map(({ path }) => path));
    expect(snapshot.entryCount).toBe(4);
    const later = await snapshotFs(root, [], { previous: snapshot });
    expect(Array.from(entriesOf(later))).toEqual(naiveSnapshot(root));
  });

  it('reads the new file or folder that replaced the listed one', async () => {
    const root = temporaryFolder();
    write(root, 'folder/trigger', 'trigger');
    write(root, 'folder/sub/old', 'old');
    const twins = { one: write(root, 'twins/one', 'one'), two: write(root, 'twins/two', 'two') };
    const save = (file: string) => fs.renameSync(write(root, 'saved', 'saved'), file);
    const snapshot = await snapshotWhile(root, (content) => {
      if (content === 'trigger') {
        fs.renameSync(path.join(root, 'folder/sub'), path.join(root, 'folder/moved'));
        write(root, 'folder/sub/new', 'new');
      }
      if (content === 'one') save(twins.two);
      if (content === 'two') save(twins.one);
    });
    expect(entry(snapshot, 'folder/sub/new')?.sha256).toBe(sha256('new'));
    expect([entry(snapshot, 'twins/one')?.sha256, entry(snapshot, 'twins/two')?.sha256]).toContain(sha256('saved'));
  });

  it('is not led out of the root by a folder that becomes a symlink', async () => {
    const outside = temporaryFolder();
    write(outside, 'sub/secret', 'secret');
    const root = temporaryFolder();
    write(root, 'folder/trigger', 'trigger');
    write(root, 'folder/sub/file', 'file');
    write(root, 'folder/sub/deeper/file', 'file');
    const snapshot = await snapshotWhile(root, (content) => {
      if (content !== 'trigger') return;
      fs.renameSync(path.join(root, 'folder'), path.join(root, 'moved'));
      fs.symlinkSync(outside, path.join(root, 'folder'));
    });
    expect(paths(snapshot)).toEqual(['folder', 'folder/sub', 'folder/trigger']);
    expect(entry(snapshot, 'folder/sub')?.error).toBe('ESTALE');
  });
});

/** Takes a snapshot and calls `act` each time it has read a small file. */
function snapshotWhile(root: string, act: (content: string) => void): Promise<Snapshot> {
  const offer = (_sha256: string, bytes: Uint8Array) => {
    act(Buffer.from(bytes).toString());
    return true;
  };
  return snapshotFs(root, [], {
    contents: { ...openContentCache(temporaryFolder()), has: () => false, offer },
  });
}

/** Root may read everything, so these tests temporarily run as nobody. */
async function asNobody<T>(action: () => Promise<T>): Promise<T> {
  if (process.getuid!() !== 0) return await action();
  process.setegid!(NOBODY_UID);
  process.seteuid!(NOBODY_UID);
  try {
    return await action();
  } finally {
    process.seteuid!(0);
    process.setegid!(0);
  }
}

/** An impossible hash shows whether it was reused or computed. */
function withHashes(snapshot: Snapshot, value: string): Snapshot {
  const directories = new Map<string, Listing>();
  for (const [path, listing] of snapshot.directories) {
    directories.set(path, { ...listing, sha256: listing.sha256.map((hash) => (hash === null ? null : value)) });
  }
  return { ...snapshot, directories };
}
