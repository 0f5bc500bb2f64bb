import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { lastErrno, loadLibc } from './libc.ts';
import { readAt } from './read-at.ts';
import { openRegularFile } from './regular-file.ts';

/** What another process did to a part of a record while it was being recorded. */
export interface Touch {
  path: string;
  what: 'added' | 'changed' | 'moved' | 'removed' | 'replaced';
}

const PIECE_BYTES = 1024 * 1024;
const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = fs.constants;
const O_CLOEXEC = 0o2000000;

/** Whether the name still leads to the open file or folder. */
export function isNamed(path: string, fd: number, look: typeof fs.lstatSync = fs.lstatSync): boolean {
  const named = look(path, { throwIfNoEntry: false });
  const open = fs.fstatSync(fd);
  return named !== undefined && named.ino === open.ino && named.dev === open.dev;
}

/** Gives whatever took a name another one, under which nothing is looked for. False when there is nothing. */
export function setAside(path: string): boolean {
  try {
    fs.renameSync(path, `${path}.${process.pid}.${randomBytes(4).toString('hex')}.foreign`);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Puts an open file back under its name, as a copy: its bytes are there as long as it is open, wherever it was moved and
 * also when it was removed. The descriptor keeps its number. Null when nothing was wrong.
 */
export function putBackFile(fd: number, file: string): Touch | null {
  if (isNamed(file, fd)) return null;
  const what = setAside(file) ? 'replaced' : 'removed';
  const copy = openRegularFile(file, 'create');
  try {
    for (let at = 0; ; ) {
      const piece = readAt(fd, at, PIECE_BYTES);
      if (piece.length === 0) break;
      for (let written = 0; written < piece.length; ) written += fs.writeSync(copy, piece, written);
      at += piece.length;
    }
    replaceDescriptor(fd, copy);
  } finally {
    fs.closeSync(copy);
  }
  return { path: file, what };
}

/** Opens a folder to hold on to it. */
export function openFolder(folder: string): number {
  return fs.openSync(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

/** Puts an open folder back under its name: moved back from wherever it is now, or made again when it was removed. */
export function putBackFolder(fd: number, folder: string): Touch | null {
  if (isNamed(folder, fd)) return null;
  const isReplaced = setAside(folder);
  try {
    // Only what still has a name can be moved: a removed folder has no link left.
    if (fs.fstatSync(fd).nlink > 0) fs.renameSync(fs.readlinkSync(`/proc/self/fd/${fd}`), folder);
  } catch {
    // It lies on another disk, or where it cannot be taken from.
  }
  if (isNamed(folder, fd)) return { path: folder, what: 'moved' };
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const made = openFolder(folder);
  replaceDescriptor(fd, made);
  fs.closeSync(made);
  return { path: folder, what: isReplaced ? 'replaced' : 'removed' };
}

/** Makes `fd` refer to the same file as `by`. */
function replaceDescriptor(fd: number, by: number): void {
  dup3 ??= loadLibc().libc.func('int dup3(int from, int to, int flags)');
  if (dup3(by, fd, O_CLOEXEC) < 0) throw new Error(`dup3: ${lastErrno()}`);
}

let dup3: ((from: number, to: number, flags: number) => number) | undefined;
