import { type FileHandle, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openRegularHandle } from '../../files/index.ts';
import { EVENTS_FILE, EVENTS_INDEX_FILE } from '../../protocol/index.ts';
import { lineStartOf } from '../../record/line-head.ts';
import { errnoOf, journalDamaged, runNotFound } from './file-errors.ts';

/** Where a run's journal lies. */
export interface LogPlace {
  run: string;
  folder: string;
  path: string;
  indexPath: string;
  /** How every line of this run begins, up to the number after `"seq":`. */
  lineStart: Uint8Array;
}

/** A place opened for reading. The caller closes the handle. */
export interface Log extends LogPlace {
  handle: FileHandle;
}

/** A point between two lines: `seq` is that of the line before it, 0 at the start. */
export interface Position {
  offset: number;
  seq: number;
}

/** A pipe, a folder, a link, a socket; or a link in place of the folder it is in. */
const NOT_REGULAR: ReadonlySet<string | undefined> = new Set(['EINVAL', 'ELOOP', 'ENXIO', 'ENOTDIR']);

export const START: Position = { offset: 0, seq: 0 };

export function logPlace(run: string, folder: string, version: string): LogPlace {
  return {
    run,
    folder,
    path: join(folder, EVENTS_FILE),
    indexPath: join(folder, EVENTS_INDEX_FILE),
    lineStart: lineStartOf(run, version),
  };
}

/** Null until the first event has been written. */
export async function openLog(place: LogPlace): Promise<Log | null> {
  try {
    return { ...place, handle: await openRegularHandle(place.path) };
  } catch (error) {
    if (NOT_REGULAR.has(errnoOf(error))) throw journalDamaged(place.path, 0, 'it is not a regular file');
    if (errnoOf(error) !== 'ENOENT') throw error;
    if (!(await isFolder(place.folder))) throw runNotFound(place.run, place.folder);
    return null;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
