import { createHash, hash } from 'node:crypto';
import fs from 'node:fs';
import { getSystemErrorName } from 'node:util';
import type { ContentCache } from './content-cache.ts';
import type { DirectoryReader } from './directory-reader.ts';
import type { Allowance } from './limits.ts';
import { sameBytes } from './listing.ts';
import { sameInode, setSize, sizeOf, typeOf } from './stat-words.ts';

const PIECE_BYTES = 1_024 * 1_024;

/** A program can create a sparse file of exabytes; reading its zeros would never end. */
const MAX_HASHED_BYTES = 4 * 1_024 ** 3;

/** The result of reading one name. `replaced`: the name now refers to something else; read again. */
export type ContentReading =
  | { kind: 'hashed'; sha256: string; changedWhileRead: boolean; kept: boolean }
  | { kind: 'failed'; error: string }
  | { kind: 'vanished' }
  | { kind: 'replaced' };

export interface FileHasher {
  /**
   * Hashes the file and updates `stat` to the state of that content, with the number of hashed bytes as the size.
   * `path` is relative to the root of the snapshot.
   */
  hash(directory: number, name: string, stat: Uint32Array, path?: string): Promise<ContentReading>;
}

export interface HasherOptions {
  reader: DirectoryReader;
  yieldToEventLoop: () => Promise<unknown> | undefined;
  contents: ContentCache | null;
  allowance: Allowance;
}

const LATE: ContentReading = { kind: 'failed', error: 'TIME_LIMIT' };

export function createFileHasher({ reader, yieldToEventLoop, contents, allowance }: HasherOptions): FileHasher {
  const piece = Buffer.allocUnsafeSlow(PIECE_BYTES);

  return {
    async hash(directory, name, stat, path = name) {
      if (!allowance.mayHash()) return LATE;
      const fd = reader.openFile(directory, name);
      if (fd < 0) return openFailure(fd);
      try {
        const opened = reader.stat(fd, '');
        if (typeof opened === 'number') return { kind: 'failed', error: getSystemErrorName(opened) };
        if (typeOf(opened, 0) !== 'file' || !sameInode(opened, stat)) return { kind: 'replaced' };
        stat.set(opened);
        const size = sizeOf(stat, 0);
        if (size > MAX_HASHED_BYTES) return { kind: 'failed', error: 'EFBIG' };
        const isWanted = contents !== null && size <= contents.largest && !contents.isElsewhere(path, stat);
        const content = await readContent(fd, size, isWanted);
        if (content === null) return LATE;
        const closed = reader.stat(fd, '');
        const changedWhileRead = content.length !== size || typeof closed === 'number' || !sameBytes(closed, stat);
        setSize(stat, 0, content.length);
        const kept = !isWanted || isKept(contents, content);
        return { kind: 'hashed', sha256: content.sha256, changedWhileRead, kept };
      } catch (cause) {
        return { kind: 'failed', error: (cause as NodeJS.ErrnoException).code ?? String(cause) };
      } finally {
        reader.close(fd);
      }
    },
  };

  /**
   * Reads at most the size that the file had when opened: a file that grows as fast as it is read would never end.
   * `bytes` is null for a large file that the cache does not accept.
   */
  async function readContent(fd: number, size: number, isWanted: boolean) {
    if (size <= PIECE_BYTES) {
      const length = readFully(fd, size);
      const bytes = piece.subarray(0, length);
      return { sha256: hash('sha256', bytes), length, bytes };
    }
    const digest = createHash('sha256');
    const whole = isWanted && contents?.accepts(size) ? Buffer.allocUnsafeSlow(size) : null;
    let length = 0;
    while (length < size) {
      if (!allowance.mayHash()) return null;
      const count = readFully(fd, Math.min(PIECE_BYTES, size - length));
      if (count === 0) break;
      digest.update(piece.subarray(0, count));
      whole?.set(piece.subarray(0, count), length);
      length += count;
      const pause = yieldToEventLoop();
      if (pause) await pause;
    }
    return { sha256: digest.digest('hex'), length, bytes: whole?.subarray(0, length) ?? null };
  }

  function readFully(fd: number, wanted: number): number {
    let length = 0;
    while (length < wanted) {
      const count = fs.readSync(fd, piece, length, wanted - length, null);
      if (count === 0) break;
      length += count;
    }
    return length;
  }
}

function isKept(contents: ContentCache, { sha256, bytes }: { sha256: string; bytes: Uint8Array | null }): boolean {
  return bytes === null ? contents.has(sha256) : contents.offer(sha256, bytes);
}

function openFailure(negativeErrno: number): ContentReading {
  const error = getSystemErrorName(negativeErrno);
  if (error === 'ENOENT') return { kind: 'vanished' };
  // The name was replaced by a symlink, a socket or a device since it was listed.
  if (error === 'ELOOP' || error === 'ENXIO') return { kind: 'replaced' };
  return { kind: 'failed', error };
}
