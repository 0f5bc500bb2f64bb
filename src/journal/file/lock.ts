import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { isNamed, lockDescriptor, openRegularFile, setAside, type Touch } from '../../files/index.ts';
import { errnoOf } from './file-errors.ts';
import { isHeld, lockText, runLocked } from './lock-holder.ts';

/**
 * One writer per run. The holder of the highest `lock.<generation>` is the writer; the generation is the epoch and
 * never goes down, because a release keeps the file and only marks it. The holder lives as long as it keeps the file
 * flocked: the kernel lets go when a process ends, whatever its host name and pid. A dead holder's lock is never edited,
 * only outbid.
 */
export interface Lock {
  folder: string;
  epoch: number;
  /** Of our lock file: its link count shows that it was deleted, even if another file has its name. */
  fd: number;
}

export function takeLock(folder: string, run: string): Lock {
  for (;;) {
    const newest = newestGeneration(folder);
    const path = lockPath(folder, newest);
    if (newest > 0 && isHeld(path)) throw runLocked(path, run);
    const lock = placeLock(folder, newest + 1);
    if (lock === null) continue;
    // Our look at the folder may have been so old that newer locks have come, and the one at our number gone, since.
    if (newestGeneration(folder) === lock.epoch) {
      removeLeftovers(lock);
      return lock;
    }
    closeSync(lock.fd);
    rmSync(lockPath(folder, lock.epoch), { force: true });
  }
}

/** True while some process writes the run whose audit folder this is. */
export function isLocked(folder: string): boolean {
  try {
    const newest = newestGeneration(folder);
    return newest > 0 && isHeld(lockPath(folder, newest));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** False once a newer writer has placed its lock, or ours was taken away. */
export function stillHeld(lock: Lock): boolean {
  // A writer two generations ahead has removed our file, so checking the next one is enough.
  return fstatSync(lock.fd).nlink > 0 && !existsSync(lockPath(lock.folder, lock.epoch + 1));
}

/**
 * True while another writer holds a lock of the run. Asked when ours is not still held: a program that can write to the
 * folder may have removed it, or put anything beside it, and neither means that there is another writer.
 */
export function isContested(lock: Lock): boolean {
  return others(lock).some((path) => isHeld(path));
}

/** Restores our lock and sets aside what replaced it. The caller knows that no other process writes the run. */
export function putBackLock(lock: Lock): Touch[] {
  const path = lockPath(lock.folder, lock.epoch);
  const touches = others(lock).filter((other) => other !== path && setAside(other));
  if (isNamed(path, lock.fd)) return touches.map((other) => ({ path: other, what: 'added' }));
  const what = setAside(path) ? 'replaced' : 'removed';
  const placed = placeLock(lock.folder, lock.epoch);
  if (placed === null) throw new Error(`${path} was placed by another process`);
  closeSync(lock.fd);
  lock.fd = placed.fd;
  return [...touches.map((other) => ({ path: other, what: 'added' }) as const), { path, what }];
}

/** Locks that are not ours, as far as their names say. */
function others(lock: Lock): string[] {
  let names: string[];
  try {
    names = readdirSync(lock.folder);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return [];
    throw error;
  }
  return names
    .filter((name) => generationOf(name) >= lock.epoch)
    .map((name) => join(lock.folder, name))
    .filter((path) => !isNamed(path, lock.fd));
}

export function releaseLock(lock: Lock): void {
  try {
    if (stillHeld(lock)) markReleased(lock);
  } finally {
    closeSync(lock.fd);
  }
}

function markReleased(lock: Lock): void {
  try {
    const { path, fd } = writeTemporary(lock.folder, { released: true });
    closeSync(fd);
    renameSync(path, lockPath(lock.folder, lock.epoch));
  } catch {
    // No room for another file. The bytes that are there can be overwritten: `true` is shorter than `false`.
    writeSync(lock.fd, lockText({ released: true }), 0);
  }
}

function lockPath(folder: string, epoch: number): string {
  return join(folder, `lock.${epoch}`);
}

function generationOf(name: string): number {
  const match = /^lock\.([1-9]\d*)$/.exec(name);
  return match === null ? 0 : Number(match[1]);
}

function newestGeneration(folder: string): number {
  return readdirSync(folder).reduce((newest, name) => Math.max(newest, generationOf(name)), 0);
}

/** Null if another process was quicker. */
function placeLock(folder: string, epoch: number): Lock | null {
  const temporary = writeTemporary(folder, { released: false });
  try {
    // Before it has its name: a lock that can be seen is already held.
    if (!lockDescriptor(temporary.fd)) throw new Error(`${temporary.path} is flocked by another process`);
    // link() is atomic and refuses to replace; the lock is never seen half written.
    linkSync(temporary.path, lockPath(folder, epoch));
    return { folder, epoch, fd: temporary.fd };
  } catch (error) {
    closeSync(temporary.fd);
    if (errnoOf(error) === 'EEXIST') return null;
    throw error;
  } finally {
    rmSync(temporary.path, { force: true });
  }
}

function writeTemporary(folder: string, { released }: { released: boolean }): { path: string; fd: number } {
  const path = join(folder, `lock.tmp-${process.pid}-${randomBytes(6).toString('hex')}`);
  const fd = openRegularFile(path, 'create');
  try {
    writeFileSync(fd, lockText({ released }));
    fsyncSync(fd);
    return { path, fd };
  } catch (error) {
    closeSync(fd);
    rmSync(path, { force: true });
    throw error;
  }
}

/** Older locks, and temporary files of claimers that were killed. */
function removeLeftovers(lock: Lock): void {
  for (const name of readdirSync(lock.folder)) {
    const generation = generationOf(name);
    const claimer = /^lock\.tmp-(\d+)-/.exec(name)?.[1];
    const outbid = generation > 0 && generation < lock.epoch;
    if (outbid || (claimer !== undefined && !existsSync(`/proc/${claimer}`))) {
      rmSync(join(lock.folder, name), { force: true });
    }
  }
}
