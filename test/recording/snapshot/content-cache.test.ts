import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openContentCache, pruneContentCache } from '../../../src/recording/snapshot/content-cache.ts';
import { entriesOf } from '../../../src/recording/snapshot/fs-entry.ts';
import { snapshotFs } from '../../../src/recording/snapshot/snapshot.ts';
import { settle, temporaryFolder, write } from './temporary-folder.ts';

const sha256 = (content: string) => createHash('sha256').update(content).digest('hex');
const contentsOf = (folder: string) =>
  fs
    .readdirSync(folder)
    .filter((name) => name !== 'generation' && name !== 'usage')
    .sort();

describe('the content cache', () => {
  it('is filled with files of any type while they are hashed', async () => {
    const root = temporaryFolder();
    const large = 'x'.repeat(2 * 1_024 * 1_024);
    write(root, 'a/text', 'text');
    write(root, 'b/same', 'text');
    write(root, 'binary', '\0');
    write(root, 'large', large);
    write(root, 'too large', `${large}x`);
    const cache = path.join(temporaryFolder(), 'blobs');
    await snapshotFs(root, [], { contents: openContentCache(cache, { largest: large.length }) });
    expect(contentsOf(cache)).toEqual(['text', '\0', large].map(sha256).sort());
    expect(fs.readFileSync(path.join(cache, sha256(large)), 'utf8')).toBe(large);
    expect(fs.statSync(path.join(cache, sha256('text'))).mode & 0o777).toBe(0o600);
    expect(fs.statSync(cache).mode & 0o777).toBe(0o700);
  });

  it('does not store content that is kept elsewhere, and counts it as kept', async () => {
    const root = temporaryFolder();
    write(root, 'a/here', 'here');
    write(root, 'a/elsewhere', 'elsewhere');
    await settle();
    const cache = temporaryFolder();
    const open = () => openContentCache(cache, { isElsewhere: (name) => name === 'a/elsewhere' });
    const first = await snapshotFs(root, [], { contents: open() });
    expect(contentsOf(cache)).toEqual([sha256('here')]);
    const second = await snapshotFs(root, [], { previous: first, contents: open() });
    expect(second.directories.get('a')).toBe(first.directories.get('a'));
  });

  it('has a separate budget for large files, and does not read files that exceed it again', async () => {
    const root = temporaryFolder();
    const size = 300 * 1_024;
    for (const name of ['1', '2', '3']) write(root, name, name.repeat(size));
    write(root, 'small', 'small');
    await settle();
    const cache = temporaryFolder();
    const open = () => openContentCache(cache, { bytes: 2 * size });
    const first = await snapshotFs(root, [], { contents: open() });
    expect(contentsOf(cache)).toHaveLength(3);
    await snapshotFs(root, [], { previous: first, contents: open() });
    expect(contentsOf(cache)).toHaveLength(4);
  });

  it('is filled from unchanged files that an earlier snapshot did not keep', async () => {
    const root = temporaryFolder();
    for (const name of ['a/1', 'a/2', 'b/3']) write(root, name, name);
    await settle();
    const cache = temporaryFolder();
    const first = await snapshotFs(root);
    const second = await snapshotFs(root, [], { previous: first, contents: openContentCache(cache) });
    expect(contentsOf(cache)).toEqual(['a/1', 'a/2', 'b/3'].map(sha256).sort());
    expect(Array.from(entriesOf(second))).toEqual(Array.from(entriesOf(first)));
    const third = await snapshotFs(root, [], { previous: second, contents: openContentCache(cache) });
    expect(third.directories.get('a')).toBe(second.directories.get('a'));
  });

  it('stays within its budget and continues with the next snapshot', async () => {
    const root = temporaryFolder();
    for (let index = 0; index < 10; index++) write(root, `${index % 3}/${index}`, `content ${index}`);
    await settle();
    const cache = temporaryFolder();
    const open = () => openContentCache(cache, { files: 4, bytes: 1_000 });
    const first = await snapshotFs(root, [], { contents: open() });
    expect(contentsOf(cache)).toHaveLength(4);
    const second = await snapshotFs(root, [], { previous: first, contents: open() });
    expect(contentsOf(cache)).toHaveLength(8);
    await snapshotFs(root, [], { previous: second, contents: open() });
    expect(contentsOf(cache)).toHaveLength(10);
    const bytes = temporaryFolder();
    await snapshotFs(root, [], { contents: openContentCache(bytes, { files: 100, bytes: 25 }) });
    expect(contentsOf(bytes)).toHaveLength(2);
  });

  it('keeps a small workspace whole however slow the disk is, and stops early in a large one', () => {
    const folder = temporaryFolder();
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 1000));
    onTestFinished(() => clock.mockRestore());
    const cache = openContentCache(folder);
    const kept = Array.from({ length: 150 }, (_, index) => cache.offer(sha256(`${index}`), Buffer.from(`${index}`)));
    expect(kept.filter(Boolean)).toHaveLength(100);
    expect(cache.exhausted).toBe(true);
  });

  it('is pruned by age, and the next snapshot stores pruned content again', async () => {
    const root = temporaryFolder();
    for (const name of ['one', 'two', 'six']) write(root, name, name);
    await settle();
    const cache = temporaryFolder();
    const contents = openContentCache(cache);
    const first = await snapshotFs(root, [], { contents });
    fs.utimesSync(path.join(cache, sha256('one')), 1, 1);
    pruneContentCache(contents, 9);
    expect(contentsOf(cache)).toHaveLength(3);
    pruneContentCache(contents, 8);
    expect(contentsOf(cache)).toEqual(['two', 'six'].map(sha256).sort());
    await snapshotFs(root, [], { previous: first, contents: openContentCache(cache) });
    expect(contentsOf(cache)).toHaveLength(3);
    pruneContentCache({ folder: path.join(write(root, 'not-a-folder'), 'blobs'), added: 1 }, 0);
  });

  it('is listed for pruning only if it may be too large, or its size is unknown', async () => {
    const cache = temporaryFolder();
    const listed: string[] = [];
    const readdir = vi.spyOn(fs, 'readdirSync').mockImplementation((folder) => {
      listed.push(String(folder));
      return [];
    });
    const listings = (added: number) => {
      pruneContentCache({ folder: cache, added }, 1_000);
      return listed.splice(0).length;
    };
    try {
      expect([0, 10, 10, 900, 90].map(listings)).toEqual([0, 1, 0, 0, 0]);
      expect([10, 10].map(listings)).toEqual([1, 0]);
      for (const unusable of ['', 'many\n', `${'1\n'.repeat(1_000)}`]) {
        fs.writeFileSync(path.join(cache, 'usage'), unusable);
        expect([10, 10].map(listings), JSON.stringify(unusable.slice(0, 9))).toEqual([1, 0]);
      }
    } finally {
      readdir.mockRestore();
    }
  });

  it('that is not writable does not affect the snapshot', async () => {
    const root = temporaryFolder();
    write(root, 'file', 'content');
    const cache = path.join(write(temporaryFolder(), 'not-a-folder', ''), 'blobs');
    const snapshot = await snapshotFs(root, [], { contents: openContentCache(cache) });
    expect(snapshot.entryCount).toBe(1);
  });
});
