import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { entriesOf } from '../../../src/recording/snapshot/fs-entry.ts';
import { loadPreviousSnapshot, savePreviousSnapshot } from '../../../src/recording/snapshot/previous-snapshot.ts';
import { snapshotFs } from '../../../src/recording/snapshot/snapshot.ts';
import { settle, temporaryFolder, write } from './temporary-folder.ts';

async function largeTree() {
  const root = temporaryFolder();
  for (let index = 0; index < 1_000; index++) write(root, `folder-${index % 10}/file-${index}`, `${index}`);
  fs.symlinkSync('folder-1', path.join(root, 'link'));
  fs.writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0x0a])]), '');
  write(root, 'node_modules/ignored', '');
  await settle();
  return { root, snapshot: await snapshotFs(root, ['node_modules']) };
}

describe('the snapshot kept between runs', () => {
  it('equals the saved snapshot, and no file is read again', async () => {
    const { root, snapshot } = await largeTree();
    const folder = path.join(temporaryFolder(), 'snapshots');
    savePreviousSnapshot(folder, snapshot);
    const loaded = loadPreviousSnapshot(folder, root)!;
    expect(Array.from(entriesOf(loaded))).toEqual(Array.from(entriesOf(snapshot)));
    expect([...loaded.directories]).toEqual([...snapshot.directories]);
    const next = await snapshotFs(root, ['node_modules'], { previous: loaded });
    for (const [directory, listing] of next.directories) expect(listing).toBe(loaded.directories.get(directory));
    const [file] = fs.readdirSync(folder);
    expect(fs.statSync(path.join(folder, file!)).mode & 0o777).toBe(0o600);
  });

  it('is replaced by the next one', async () => {
    const { root, snapshot } = await largeTree();
    const folder = temporaryFolder();
    savePreviousSnapshot(folder, snapshot);
    write(root, 'new', 'new');
    savePreviousSnapshot(folder, await snapshotFs(root, ['node_modules'], { previous: snapshot }));
    expect(loadPreviousSnapshot(folder, root)?.entryCount).toBe(snapshot.entryCount + 1);
    expect(fs.readdirSync(folder)).toHaveLength(1);
  });

  it('is not kept for small trees, which are quick to hash', async () => {
    const folder = temporaryFolder();
    savePreviousSnapshot(folder, await snapshotFs(temporaryFolder()));
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it('is ignored if it is damaged, truncated, of another root, or missing', async () => {
    const { root, snapshot } = await largeTree();
    const folder = temporaryFolder();
    expect(loadPreviousSnapshot(folder, root)).toBeNull();
    savePreviousSnapshot(folder, snapshot);
    const file = path.join(folder, fs.readdirSync(folder)[0]!);
    const whole = fs.readFileSync(file);
    for (const at of [0, 40, 200, Math.floor(whole.length / 2), whole.length - 1]) {
      const damaged = Buffer.from(whole);
      damaged[at]! ^= 1;
      fs.writeFileSync(file, damaged);
      expect(loadPreviousSnapshot(folder, root)).toBeNull();
    }
    for (const length of [0, 31, 32, 1_000, whole.length - 1]) {
      fs.writeFileSync(file, whole.subarray(0, length));
      expect(loadPreviousSnapshot(folder, root)).toBeNull();
    }
    fs.writeFileSync(file, whole);
    expect(loadPreviousSnapshot(folder, root)).not.toBeNull();
    expect(loadPreviousSnapshot(folder, folder)).toBeNull();
  });

  it('is kept for the most recently used workspaces only', async () => {
    const { snapshot } = await largeTree();
    const folder = temporaryFolder();
    for (let index = 0; index < 40; index++) savePreviousSnapshot(folder, { ...snapshot, root: `/workspace-${index}` });
    expect(fs.readdirSync(folder)).toHaveLength(32);
    expect(loadPreviousSnapshot(folder, '/workspace-39')).not.toBeNull();
    const notAFolder = write(temporaryFolder(), 'file', '');
    expect(() => savePreviousSnapshot(notAFolder, snapshot)).not.toThrow();
  });
});
