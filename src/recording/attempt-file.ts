import fs from 'node:fs';
import { createOnce, openRegularFile, writeWhole as replaceFile } from '../files/index.ts';
import { TachoError } from '../protocol/index.ts';

/** Creates an attempt file; one that is already there is never overwritten. */
export function createAttemptFile(path: string): number {
  try {
    return openRegularFile(path, 'create');
  } catch (cause) {
    throw writeFailure(path, cause);
  }
}

/** Writes all pieces at the end of the file; a short write (a disk about to be full) is continued. */
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

/** Writes a small file of a record whole or not at all; without `replace` the file must be new. */
export function writeWhole(
  path: string,
  content: string,
  { replace, durable = true }: { replace: boolean; durable?: boolean },
): void {
  try {
    if (replace) replaceFile(path, content, { durable });
    else if (!createOnce(path, content, { durable })) throw new Error('EEXIST: file already exists');
  } catch (cause) {
    throw writeFailure(path, cause);
  }
}

/** What a failed write means to the person whose disk it is. */
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
