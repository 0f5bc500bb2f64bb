import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { promisify } from 'node:util';
import {
  createOnce,
  errnoOf,
  openRegularFile,
  putBackFile,
  readRegularFile,
  writeWhole as replaceFile,
  setAside,
  type Touch,
} from '../files/index.ts';
import { TachoError } from '../protocol/index.ts';
import { type Digest, hashFile } from './file-hash.ts';

const syncData = promisify(fs.fdatasync);
/** A folder is in the place of a file. */
const FOLDER_ERRORS: ReadonlySet<string | undefined> = new Set(['EISDIR', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST']);

/** Creates an attempt file; never overwrites an existing one. */
export function createAttemptFile(path: string): number {
  try {
    return openRegularFile(path, 'create');
  } catch (cause) {
    throw writeFailure(path, cause);
  }
}

/** Appends all pieces to the file; continues after a short write (a disk that is almost full). */
export function appendAll(fd: number, pieces: readonly Uint8Array[], path: string): void {
  try {
    let total = 0;
    for (const piece of pieces) total += piece.length;
    if (total === 0) return;
    let written = pieces.length === 1 ? fs.writeSync(fd, pieces[0]!) : fs.writevSync(fd, pieces);
    if (written < total) {
      const rest = Buffer.concat(pieces).subarray(written);
      written = 0;
      while (written < rest.length) written += fs.writeSync(fd, rest, written);
    }
  } catch (cause) {
    throw writeFailure(path, cause);
  }
}

/**
 * An attempt file that is written sequentially. Its hash covers what was written, not what the file holds, because a
 * program could have written to it as well.
 */
export class AttemptFile {
  readonly path: string;
  bytes = 0;
  readonly #fd: number;
  readonly #hash = createHash('sha256');
  #failed = false;
  #closed = false;

  constructor(path: string) {
    this.path = path;
    this.#fd = createAttemptFile(path);
  }

  append(pieces: readonly Uint8Array[]): void {
    try {
      appendAll(this.#fd, pieces, this.path);
    } catch (error) {
      this.#failed = true;
      throw error;
    }
    for (const piece of pieces) {
      this.#hash.update(piece);
      this.bytes += piece.length;
    }
  }

  /** For a file that could not be written completely, the hash of its actual content. */
  digest(): Digest {
    return this.#failed ? hashFile(this.path) : { bytes: this.bytes, sha256: this.#hash.copy().digest('hex') };
  }

  /** Restores the file and removes what other programs added. After it is closed, it is only checked. */
  putBack(): Touch | null {
    if (this.#closed) return this.#isWhole() ? null : { path: this.path, what: 'changed' };
    const touch = putBackFile(this.#fd, this.path);
    const { size } = fs.fstatSync(this.#fd);
    if (this.#failed || size === this.bytes) return touch;
    if (size > this.bytes) fs.ftruncateSync(this.#fd, this.bytes);
    return touch ?? { path: this.path, what: 'changed' };
  }

  #isWhole(): boolean {
    const named = fs.lstatSync(this.path, { throwIfNoEntry: false });
    return this.#failed || (named?.isFile() === true && named.size === this.bytes);
  }

  async sync(): Promise<void> {
    // A failed write was already reported; nothing is guaranteed about the file then.
    if (this.#failed) return;
    await syncData(this.#fd).catch((cause) => {
      throw writeFailure(this.path, cause);
    });
  }

  close({ sync = false }: { sync?: boolean } = {}): void {
    if (this.#closed) return;
    this.#closed = true;
    try {
      if (sync && !this.#failed) fs.fdatasyncSync(this.#fd);
    } catch (cause) {
      throw writeFailure(this.path, cause);
    } finally {
      fs.closeSync(this.#fd);
    }
  }
}

/** Writes a small file of a record atomically; without `replace` the file must not exist. */
export function writeWhole(
  path: string,
  content: string,
  { replace, durable = true }: { replace: boolean; durable?: boolean },
): void {
  try {
    if (replace) replaceAny(path, content, { durable });
    else if (!createOnce(path, content, { durable })) throw new Error('EEXIST: file already exists');
  } catch (cause) {
    throw writeFailure(path, cause);
  }
}

/** Replaces a file, pipe or link; moves a folder aside. */
function replaceAny(path: string, content: string, options: { durable: boolean }): void {
  try {
    replaceFile(path, content, options);
  } catch (error) {
    if (!FOLDER_ERRORS.has(errnoOf(error)) || !setAside(path)) throw error;
    replaceFile(path, content, options);
  }
}

/** Restores a small file whose content was changed. */
export function putBackWhole(path: string, content: string): Touch | null {
  const there = fs.lstatSync(path, { throwIfNoEntry: false });
  if (there?.isFile() && there.size === Buffer.byteLength(content) && readRegularFile(path) === content) return null;
  if (there && !there.isFile()) setAside(path);
  writeWhole(path, content, { replace: true, durable: false });
  return { path, what: there ? 'replaced' : 'removed' };
}

/** Translates a failed write for the user. */
export function writeFailure(path: string, cause: unknown): TachoError {
  if (cause instanceof TachoError) return cause;
  const { code, message } = cause as NodeJS.ErrnoException;
  const facts = { path, errno: code };
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new TachoError('DISK_FULL', `no space left while writing ${path}`, {
      facts,
      cause,
      fix: 'Free some space, or keep runs elsewhere with --data or TACHO_HOME.',
    });
  }
  if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM') {
    return new TachoError('RUN_FOLDER_READ_ONLY', `${path} cannot be written (${code})`, {
      facts,
      cause,
      fix: 'Make the run folder writable, or start a new run.',
    });
  }
  return new TachoError('RECORDING_FAILED', `${path} cannot be written: ${message}`, { facts, cause });
}
