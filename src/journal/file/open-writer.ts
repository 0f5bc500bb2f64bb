import { closeSync } from 'node:fs';
import { openRegularFile } from '../../files/index.ts';
import { syncFolder } from '../../files/sync-folder.ts';
import type { EventFormat } from '../event-json.ts';
import type { Claim } from '../journal.ts';
import { claimFailure, errnoOf, runNotFound } from './file-errors.ts';
import { IndexWriter, type KeptEvent } from './index-writer.ts';
import { type Lock, releaseLock, takeLock } from './lock.ts';
import { type LogPlace, openLog } from './log-file.ts';
import { repairEnd } from './repair.ts';
import { type FsyncMode, SyncPolicy } from './sync-policy.ts';
import { LogWriter } from './writer.ts';

interface WriterOptions<Draft, Event> {
  fsync: FsyncMode;
  fsyncIntervalMs: number;
  format: EventFormat<Draft, Event>;
}

/** Takes the lock, repairs log and index, and returns the state of the journal. */
export async function openWriter<Draft, Event extends KeptEvent>(
  place: LogPlace,
  options: WriterOptions<Draft, Event>,
): Promise<{ writer: LogWriter<Draft, Event>; claim: Claim }> {
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

async function openLocked<Draft, Event extends KeptEvent>(
  place: LogPlace,
  lock: Lock,
  { fsync, fsyncIntervalMs, format }: WriterOptions<Draft, Event>,
) {
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
    const events = format.createWriter(place.run);
    return { writer: new LogWriter({ place, lock, fd, end, index, sync, events }), claim };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}
