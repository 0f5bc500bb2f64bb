import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type FsDiff, fsDiffSchema } from '../../../src/protocol/index.ts';
import { storeBlobs } from '../../../src/recording/snapshot/blobs.ts';
import { type ContentBudget, openContentCache } from '../../../src/recording/snapshot/content-cache.ts';
import { diffFs } from '../../../src/recording/snapshot/fs-diff.ts';
import { snapshotFs } from '../../../src/recording/snapshot/snapshot.ts';
import { temporaryFolder, write } from './temporary-folder.ts';

const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');

/** A run: snapshot before, the program's changes, snapshot after, diff, blobs. */
async function run(
  root: string,
  program: () => void,
  options: { budget?: Partial<ContentBudget>; between?: () => void } = {},
) {
  const cache = temporaryFolder();
  const audit = temporaryFolder();
  const before = await snapshotFs(root, [], { contents: openContentCache(cache) });
  program();
  const after = await snapshotFs(root, [], { previous: before });
  options.between?.();
  const diff = await storeBlobs(diffFs(before, after), {
    root,
    audit,
    cache,
    ...(options.budget ? { budget: options.budget } : {}),
  });
  return { diff: fsDiffSchema.parse(diff), blobs: path.join(audit, 'blobs'), cache, audit };
}

const blobNames = (diff: FsDiff) =>
  [...diff.created, ...diff.modified, ...diff.deleted].map((change) => [
    change.path,
    change.before_blob,
    change.after_blob,
  ]);

describe('storeBlobs', () => {
  it('keeps the content of changed files before and after', async () => {
    const root = temporaryFolder();
    write(root, 'changed', 'before\n');
    write(root, 'deleted', 'deleted\n');
    write(root, 'kept', 'kept\n');
    const name = Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff])]);
    const { diff, blobs } = await run(root, () => {
      write(root, 'changed', 'after\n');
      write(root, 'folder/created', 'created\n');
      fs.rmSync(path.join(root, 'deleted'));
      fs.writeFileSync(name, 'odd name\n');
    });
    expect(blobNames(diff)).toEqual([
      ['folder', null, null],
      ['folder/created', null, sha256('created\n')],
      ['\ufffd', null, sha256('odd name\n')],
      ['changed', sha256('before\n'), sha256('after\n')],
      ['deleted', sha256('deleted\n'), null],
    ]);
    const contents = ['after\n', 'before\n', 'created\n', 'deleted\n', 'odd name\n'];
    expect(fs.readdirSync(blobs).sort()).toEqual(contents.map(sha256).sort());
    for (const content of contents) {
      expect(fs.readFileSync(path.join(blobs, sha256(content)), 'utf8')).toBe(content);
      expect(fs.statSync(path.join(blobs, sha256(content)))).toMatchObject({ nlink: 1 });
      expect(fs.statSync(path.join(blobs, sha256(content))).mode & 0o777).toBe(0o600);
    }
  });

  it('keeps files of any type up to the limit, and not the targets of links', async () => {
    const root = temporaryFolder();
    const binary = Buffer.from([0, 255, 254, 10]);
    const largest = Buffer.alloc(3 * 1_024 * 1_024, 7);
    write(root, 'binary', binary);
    write(root, 'large', largest);
    write(root, 'too large', 'small');
    const { diff, blobs } = await run(
      root,
      () => {
        write(root, 'binary', 'a\0b');
        fs.rmSync(path.join(root, 'large'));
        write(root, 'too large', `${largest}x`);
        fs.symlinkSync('binary', path.join(root, 'link'));
      },
      { budget: { largest: largest.length } },
    );
    expect(blobNames(diff)).toEqual([
      ['link', null, null],
      ['binary', sha256(binary), sha256('a\0b')],
      ['too large', sha256('small'), null],
      ['large', sha256(largest), null],
    ]);
    expect(fs.readFileSync(path.join(blobs, sha256(largest))).equals(largest)).toBe(true);
    expect(fs.readdirSync(blobs)).toHaveLength(4);
  });

  it('needs no cache for a file whose mode changed or that was moved', async () => {
    const root = temporaryFolder();
    write(root, 'script', 'echo\n');
    write(root, 'old', 'moved\n');
    const before = await snapshotFs(root);
    fs.chmodSync(path.join(root, 'script'), 0o755);
    fs.renameSync(path.join(root, 'old'), path.join(root, 'new'));
    const plain = diffFs(before, await snapshotFs(root));
    const diff = await storeBlobs(plain, { root, audit: temporaryFolder(), cache: null });
    expect(blobNames(diff)).toEqual([
      ['new', null, sha256('moved\n')],
      ['script', sha256('echo\n'), sha256('echo\n')],
      ['old', sha256('moved\n'), null],
    ]);
  });

  it('gets earlier content that is not in the cache from elsewhere, and checks it', async () => {
    const root = temporaryFolder();
    for (const name of ['found', 'wrong', 'cached']) write(root, name, `before ${name}`);
    const before = await snapshotFs(root);
    for (const name of ['found', 'wrong', 'cached']) write(root, name, `after ${name}`);
    const cache = temporaryFolder();
    write(cache, sha256('before cached'), 'before cached');
    const asked: string[] = [];
    const diff = await storeBlobs(diffFs(before, await snapshotFs(root)), {
      root,
      audit: temporaryFolder(),
      cache,
      earlier: async (wanted, take) => {
        for (const { path: name, sha256: name256, size } of wanted) {
          asked.push(`${name} ${size}`);
          take(name256, Buffer.from(name === 'found' ? 'before found' : 'not that one'));
        }
      },
    });
    expect(asked).toEqual(['found 12', 'wrong 12']);
    expect(diff.modified.map(({ path: name, before_blob }) => [name, before_blob !== null])).toEqual([
      ['cached', true],
      ['found', true],
      ['wrong', false],
    ]);
  });

  it('has no content for files that changed again, became a pipe, or were damaged in the cache', async () => {
    const root = temporaryFolder();
    write(root, 'file', 'before');
    const { diff } = await run(root, () => write(root, 'file', 'after'), {
      between: () => write(root, 'file', 'later'),
    });
    expect(blobNames(diff)).toEqual([['file', sha256('before'), null]]);

    const cache = temporaryFolder();
    write(root, 'file', 'before');
    const before = await snapshotFs(root, [], { contents: openContentCache(cache) });
    fs.writeFileSync(path.join(cache, sha256('before')), 'damage');
    fs.rmSync(path.join(root, 'file'));
    const plain = diffFs(before, await snapshotFs(root));
    expect(blobNames(await storeBlobs(plain, { root, audit: temporaryFolder(), cache }))).toEqual([
      ['file', null, null],
    ]);
    expect(blobNames(await storeBlobs(plain, { root, audit: temporaryFolder(), cache: null }))).toEqual([
      ['file', null, null],
    ]);
  });

  it('prefers modified files over created ones if the budget is small', async () => {
    const root = temporaryFolder();
    write(root, 'z', 'before');
    const { diff, blobs } = await run(
      root,
      () => {
        for (let index = 0; index < 10; index++) write(root, `created-${index}`, `content ${index}`);
        write(root, 'z', 'after');
      },
      { budget: { files: 4, bytes: 1_000_000 } },
    );
    expect(diff.modified[0]).toMatchObject({ before_blob: sha256('before'), after_blob: sha256('after') });
    expect(diff.created.map(({ after_blob }) => after_blob !== null)).toEqual([true, true, ...Array(8).fill(false)]);
    expect(fs.readdirSync(blobs)).toHaveLength(4);
  });

  it('creates no folder if there is nothing to keep, and reports a record that is not writable', async () => {
    const root = temporaryFolder();
    const { audit } = await run(root, () => fs.mkdirSync(path.join(root, 'folder')));
    expect(fs.readdirSync(audit)).toEqual([]);
    const before = await snapshotFs(root);
    write(root, 'file', 'x');
    const diff = diffFs(before, await snapshotFs(root));
    const notAFolder = write(temporaryFolder(), 'audit', '');
    await expect(storeBlobs(diff, { root, audit: notAFolder, cache: null })).rejects.toMatchObject({
      code: 'RECORDING_FAILED',
    });
  });
});
