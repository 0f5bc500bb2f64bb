import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { fsDiffSchema, fsSnapshotSchema } from '../../../src/protocol/index.ts';
import { diffFs } from '../../../src/recording/snapshot/fs-diff.ts';
import { entriesOf } from '../../../src/recording/snapshot/fs-entry.ts';
import { snapshotFs } from '../../../src/recording/snapshot/snapshot.ts';
import { readSnapshot, writeDiff, writeSnapshot } from '../../../src/recording/snapshot/snapshot-file.ts';
import { makePipe, temporaryFolder, write } from './temporary-folder.ts';

async function oddSnapshot() {
  const root = temporaryFolder();
  write(root, 'folder/"quoted"\\\n', 'text');
  fs.writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xfe, 0x22])]), 'bytes');
  fs.symlinkSync(Buffer.from([0x80, 0x0a]), path.join(root, 'link'));
  makePipe(path.join(root, 'pipe'));
  fs.truncateSync(write(root, 'endless'), 2 ** 43);
  return await snapshotFs(root, ['node_modules']);
}

describe('a snapshot file', () => {
  it('is JSON as in the protocol, private, with one entry per line', async () => {
    const snapshot = await oddSnapshot();
    const file = path.join(temporaryFolder(), 'fs-before.1.json');
    await writeSnapshot(snapshot, file);
    const text = fs.readFileSync(file, 'utf8');
    expect(fsSnapshotSchema.parse(JSON.parse(text))).toEqual({
      format: 'tacho-fs-snapshot/1',
      root: snapshot.root,
      taken_at: new Date(snapshot.takenAt).toISOString(),
      ignored: ['node_modules'],
      entries: Array.from(entriesOf(snapshot)),
    });
    expect(text.split('\n')).toHaveLength(snapshot.entryCount + 3);
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  });

  it('is never overwritten', async () => {
    const snapshot = await oddSnapshot();
    const file = write(temporaryFolder(), 'fs-before.1.json', 'first');
    await expect(writeSnapshot(snapshot, file)).rejects.toMatchObject({ code: 'RECORDING_FAILED' });
    expect(fs.readFileSync(file, 'utf8')).toBe('first');
  });

  it('reads back as the same snapshot', async () => {
    const snapshot = await oddSnapshot();
    const file = path.join(temporaryFolder(), 'fs-before.1.json');
    await writeSnapshot(snapshot, file);
    const read = await readSnapshot(file);
    expect(Array.from(entriesOf(read))).toEqual(Array.from(entriesOf(snapshot)));
    expect(read).toMatchObject({ root: snapshot.root, takenAt: snapshot.takenAt, entryCount: snapshot.entryCount });
    const again = await snapshotFs(snapshot.root, ['node_modules'], { previous: read });
    expect(Array.from(entriesOf(again))).toEqual(Array.from(entriesOf(snapshot)));
  });

  it('of an empty tree has no entries', async () => {
    const file = path.join(temporaryFolder(), 'fs-before.1.json');
    await writeSnapshot(await snapshotFs(temporaryFolder()), file);
    expect((await readSnapshot(file)).entryCount).toBe(0);
  });

  it.each([
    ['is missing', null, 'RECORD_INCOMPLETE', /ENOENT/],
    ['is truncated', '{"format":"tacho-fs-snapshot/1","root":"/x","entr', 'RECORD_INCOMPLETE', /JSON/],
    ['has other fields', '{"format":"tacho-fs-snapshot/1"}', 'RECORD_INCOMPLETE', /root/],
    ['is of a newer tacho', '{"format":"tacho-fs-snapshot/2"}', 'FORMAT_TOO_NEW', /tacho-fs-snapshot\/2/],
    [
      'has a file without its folder',
      '{"format":"tacho-fs-snapshot/1","root":"/x","taken_at":"2026-01-01T00:00:00.000Z","ignored":[],"entries":[{"path":"a/b","type":"other","size":0,"mtime_ns":"0","mode":0,"sha256":null}]}',
      'RECORD_INCOMPLETE',
      /a\/b is listed before its directory/,
    ],
  ])('that %s is refused with the reason', async (_case, content, code, message) => {
    const file = path.join(temporaryFolder(), 'fs-after.1.json');
    if (content !== null) fs.writeFileSync(file, content);
    await expect(readSnapshot(file)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });
});

describe('a diff file', () => {
  it('is JSON as in the protocol, private, and never overwritten', async () => {
    const root = temporaryFolder();
    const before = await snapshotFs(root);
    write(root, 'new', 'new');
    const diff = diffFs(before, await snapshotFs(root));
    const file = path.join(temporaryFolder(), 'fs-diff.1.json');
    writeDiff(diff, file);
    expect(fsDiffSchema.parse(JSON.parse(fs.readFileSync(file, 'utf8')))).toEqual(diff);
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(() => writeDiff(diff, file)).toThrow(expect.objectContaining({ code: 'RECORDING_FAILED' }));
  });
});
