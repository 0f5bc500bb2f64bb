import fs from 'node:fs';
import type { Journal } from '../journal/index.ts';
import { hasEnded, isSealed, RUN_RECORD_FILE, type RunRecord } from '../protocol/index.ts';
import { type RunFolder, readShownRecord } from '../recording/index.ts';
import { isLost, readRun } from '../runs/index.ts';

/** Where the system gives no watch, and for a recorder that died. */
const LOOK_MS = 1000;
/** The server recovers a run whose recorder died within a few seconds; one that it cannot is not waited for. */
const LOOKS_WITHOUT_RECORDER = 10;

/**
 * The record of a run that has ended, once it is sealed: between its last event and that stand the hashes of its files.
 * A run that has not ended is returned as it is.
 */
export async function sealedRecord(folder: RunFolder, journal: Journal): Promise<RunRecord> {
  const record = await readRun(folder, journal);
  if (!hasEnded(record) || isSealed(record)) return record;
  return await new Promise((resolve, reject) => {
    let watcher: fs.FSWatcher | null = null;
    let lost = 0;
    const look = (): void => {
      try {
        const now = readShownRecord(folder);
        if (isSealed(now) || lost > LOOKS_WITHOUT_RECORDER) end(() => resolve(now));
      } catch (error) {
        end(() => reject(error));
      }
    };
    const looking = setInterval(() => {
      lost = isLost(record, folder) ? lost + 1 : 0;
      look();
    }, LOOK_MS);
    const end = (settle: () => void): void => {
      clearInterval(looking);
      watcher?.close();
      settle();
    };
    try {
      watcher = fs.watch(folder.path, (_, name) => {
        if (name === RUN_RECORD_FILE) look();
      });
      watcher.on('error', () => watcher?.close());
    } catch {
      // No watch to be had: looking each second does.
    }
    look();
  });
}
