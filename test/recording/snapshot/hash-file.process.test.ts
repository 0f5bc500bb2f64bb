import { createHash } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import koffi from 'koffi';
import { describe, expect, it } from 'vitest';
import { createDirectoryReader } from '../../../src/recording/snapshot/directory-reader.ts';
import { createFileHasher } from '../../../src/recording/snapshot/hash-file.ts';
import { startAllowance } from '../../../src/recording/snapshot/limits.ts';
import { sizeOf } from '../../../src/recording/snapshot/stat-words.ts';
import { makePipe, temporaryFolder, write } from './temporary-folder.ts';

const MEBIBYTE = 1_024 * 1_024;
const reader = createDirectoryReader(koffi, fs.constants);
const sha256 = (content: Uint8Array | string) => createHash('sha256').update(content).digest('hex');

/** Hashes `file` as listed before `meanwhile`, and runs `between` between the pieces. */
async function hashLate(root: string, file: string, { meanwhile = () => {}, between = () => {} }) {
  const directory = reader.openDirectory(root);
  const listed = Uint32Array.from(reader.stat(directory, file) as Uint32Array);
  meanwhile();
  const yieldToEventLoop = () => {
    between();
    return undefined;
  };
  const result = await createFileHasher({
    reader,
    yieldToEventLoop,
    contents: null,
    allowance: startAllowance({}),
  }).hash(directory, file, listed);
  reader.close(directory);
  return { ...result, size: sizeOf(listed, 0) };
}

describe('hashing a file that changes', () => {
  it('reports that a file disappeared', async () => {
    const root = temporaryFolder();
    const file = write(root, 'file', 'content');
    expect(await hashLate(root, 'file', { meanwhile: () => fs.rmSync(file) })).toMatchObject({ kind: 'vanished' });
  });

  it('does not wait for a pipe, follow a link or read another file with the same name', async () => {
    const root = temporaryFolder();
    const other = write(root, 'other', 'other');
    const replacements = [
      makePipe,
      (file: string) => fs.symlinkSync(other, file),
      (file: string) => fs.mkdirSync(file),
      (file: string) => fs.renameSync(write(root, 'new', 'new'), file),
    ];
    for (const [index, replace] of replacements.entries()) {
      const name = `file-${index}`;
      const file = write(root, name, 'content');
      const meanwhile = () => {
        // The old file is kept, so that its inode is not reused.
        fs.renameSync(file, `${file}.old`);
        replace(file);
      };
      expect(await hashLate(root, name, { meanwhile })).toMatchObject({ kind: 'replaced' });
    }
  });

  it('tries again when a socket has the name', async () => {
    const root = temporaryFolder();
    const file = write(root, 'file', 'content');
    fs.rmSync(file);
    const server = net.createServer().listen(file);
    await new Promise((resolve) => server.once('listening', resolve));
    const directory = reader.openDirectory(root);
    const hasher = createFileHasher({
      reader,
      yieldToEventLoop: () => undefined,
      contents: null,
      allowance: startAllowance({}),
    });
    expect(await hasher.hash(directory, 'file', new Uint32Array(11))).toEqual({ kind: 'replaced' });
    reader.close(directory);
    server.close();
  });

  it('ends on a file that grows as fast as it is read, and returns the hashed size', async () => {
    const root = temporaryFolder();
    const content = Buffer.alloc(3 * MEBIBYTE, 'a');
    const file = write(root, 'file', content);
    const result = await hashLate(root, 'file', { between: () => fs.appendFileSync(file, Buffer.alloc(2 * MEBIBYTE)) });
    expect(result).toEqual({
      kind: 'hashed',
      sha256: sha256(content),
      changedWhileRead: true,
      kept: true,
      size: content.length,
    });
  });

  it('hashes the rest of a file that is truncated while it is read', async () => {
    const root = temporaryFolder();
    const content = Buffer.alloc(3 * MEBIBYTE, 'a');
    const file = write(root, 'file', content);
    const result = await hashLate(root, 'file', { between: () => fs.truncateSync(file, MEBIBYTE + 5) });
    expect(result).toMatchObject({
      sha256: sha256(content.subarray(0, MEBIBYTE + 5)),
      changedWhileRead: true,
      size: MEBIBYTE + 5,
    });
  });

  it('returns the times that belong to the content', async () => {
    const root = temporaryFolder();
    const file = write(root, 'file', 'short');
    const result = await hashLate(root, 'file', { meanwhile: () => fs.appendFileSync(file, ' and long') });
    expect(result).toMatchObject({
      kind: 'hashed',
      sha256: sha256('short and long'),
      changedWhileRead: false,
      size: 14,
    });
  });

  it('closes every file it opens', async () => {
    const root = temporaryFolder();
    write(root, 'file', 'content');
    const open = () => fs.readdirSync('/proc/self/fd').length;
    const before = open();
    for (let round = 0; round < 20; round++) await hashLate(root, 'file', {});
    expect(open()).toBeLessThanOrEqual(before + 1);
  });
});
