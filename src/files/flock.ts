import fs from 'node:fs';
import { TachoError } from '../protocol/error-code.ts';
import { errnoOf } from './errno.ts';
import { lastErrno, loadLibc } from './libc.ts';
import { isNamed } from './put-back.ts';

/** An advisory lock on a file. The kernel releases it when its holder exits, however it exits. */
export interface Flock {
  /** Of the locked file, which stays open while the lock is held. */
  readonly fd: number;
  release(): void;
}

export type FlockMode = 'exclusive' | 'shared';

const LOCK_SH = 1;
const LOCK_EX = 2;
const LOCK_NB = 4;
const { O_CREAT, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = fs.constants;

/**
 * Takes the lock without waiting; null when another holder is in the way. Creates the file if it is missing. Two takes
 * in one process exclude each other like those of two processes.
 */
export function takeFlock(file: string, mode: FlockMode = 'exclusive'): Flock | null {
  return take(file, O_RDWR | O_CREAT | O_NONBLOCK | O_NOFOLLOW, mode);
}

/** The same for an existing folder, which then needs no lock file in it. */
export function takeFolderFlock(folder: string, mode: FlockMode = 'exclusive'): Flock | null {
  return take(folder, O_RDONLY | O_DIRECTORY, mode);
}

function take(path: string, flags: number, mode: FlockMode): Flock | null {
  for (;;) {
    const fd = fs.openSync(path, flags, 0o600);
    let held = false;
    try {
      if (!lockDescriptor(fd, mode)) return null;
      // A lock on a file that was deleted or replaced meanwhile has no effect.
      held = isNamed(path, fd, fs.statSync);
    } finally {
      if (!held) fs.closeSync(fd);
    }
    if (held) return { fd, release: closer(fd) };
  }
}

/** Locks a file that is already open. False when another holder is in the way. Closing the descriptor releases it. */
export function lockDescriptor(fd: number, mode: FlockMode = 'exclusive'): boolean {
  flock ??= loadLibc().libc.func('int flock(int fd, int operation)');
  for (;;) {
    if (flock(fd, (mode === 'exclusive' ? LOCK_EX : LOCK_SH) | LOCK_NB) === 0) return true;
    const errno = lastErrno();
    if (errno === 'EAGAIN' || errno === 'EWOULDBLOCK') return false;
    if (errno !== 'EINTR') throw lockFailure(fd, errno);
  }
}

/** Some file systems, mostly those of a network, know no locks; without them nothing says who writes. */
function lockFailure(fd: number, errno: string | undefined): Error {
  if (errno === 'EBADF') return new Error(`flock ${fd}: EBADF`); // A closed descriptor is not a problem of the folder.
  const file = fs.readlinkSync(`/proc/self/fd/${fd}`);
  return new TachoError('DATA_FOLDER_UNWRITABLE', `${file} cannot be locked (${errno})`, {
    facts: { path: file, errno },
    fix: 'Use a folder on a file system that supports flock, such as a local disk: --data or TACHO_HOME chooses it.',
  });
}

/**
 * Whether another process, or another descriptor of this one, holds the file exclusively. Looking takes a shared lock
 * for an instant, so a holder that starts at that instant has to retry.
 */
export function isFlocked(file: string): boolean {
  let fd: number;
  try {
    fd = fs.openSync(file, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  } catch (error) {
    // Gone, or a link or socket, which is never locked.
    if (['ENOENT', 'ELOOP', 'ENXIO'].includes(errnoOf(error) ?? '')) return false;
    throw error;
  }
  try {
    return !lockDescriptor(fd, 'shared');
  } finally {
    fs.closeSync(fd);
  }
}

let flock: ((fd: number, operation: number) => number) | undefined;

/** Closes once: a second close could hit a descriptor that was opened since. */
function closer(fd: number): () => void {
  let open = true;
  return () => {
    if (open) fs.closeSync(fd);
    open = false;
  };
}
