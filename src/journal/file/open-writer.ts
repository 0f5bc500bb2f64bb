import { closeSync, fsyncSync, openSync } from 'node:fs';
import { openRegularFile } from '../../files/index.ts';
import type { Claim } from '../journal.ts';
import { claimFailure, errnoOf, runNotFound } from './file-errors.ts';
import { IndexWriter } from './index-writer.ts';
import { type Lock, releaseLock, takeLock } from './lock.ts';
import { type LogPlace, openLog } from './log-file.ts';
import { repairEnd } from './repair.ts';
import { type FsyncMode, SyncPolicy } from './sync-policy.ts';
import { LogWriter } from './writer.ts';

export interface SyncOptions {
  fsync: FsyncMode;
  fsyncIntervalMs: number;
}

/** Takes the lock, repairs log and index, and returns the state of the journal. */
export async function openWriter(place: LogPlace, options: SyncOptions): Promise<{ writer: LogWriter; claim: Claim }> {
  const lock = lockPlace(place);
  try {
    return await openLocked(place, lock, options);
  } catch (error) {
    releaseLock(lock);
    throw claimFailure(error, place.path);
  }
}

function lockPlace(place: LogPlace): Lock {
  try {
    return takeLock(place.folder, place.run);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'ENOENT' || errno === 'ENOTDIR') throw runNotFound(place.run, place.folder);
    throw claimFailure(error, place.folder);
  }
}

async function openLocked(place: LogPlace, lock: Lock, { fsync, fsyncIntervalMs }: SyncOptions) {
  const fd = openRegularFile(place.path, 'append');
  try {
    const { end, repaired } = repairEnd(fd, place, lock.epoch);
    if (end.lastSeq === 0 && fsync !== 'off') syncFolder(place.folder);
    const log = await openLog(place);
    if (log === null) throw runNotFound(place.run, place.folder);
    const index = await IndexWriter.open(log).finally(() => log.handle.close());
    const sync = new SyncPolicy(fd, fsync, fsyncIntervalMs);
    const { lastSeq, lastTs, chain: head } = end;
    const claim: Claim = { run: place.run, epoch: lock.epoch, lastSeq, lastTs, head, repaired };
    return { writer: new LogWriter({ place, lock, fd, end, index, sync }), claim };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** A new file's name is on the disk only when its folder is. */
function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
