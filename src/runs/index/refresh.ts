import path from 'node:path';
import { TachoError } from '../../protocol/index.ts';
import { listRunIds, type OpenTerminal, type RunFolder, runFolderAt } from '../../recording/index.ts';
import type { Database } from '../../storage/index.ts';
import { readRun, stampOf } from './read-run.ts';
import { removeRun } from './run-rows.ts';
import { createYielder, type Yielder } from './yielder.ts';

export interface Refreshed {
  /** Number of runs in the index now. */
  runs: number;
  /** Number of runs that had to be read. */
  read: number;
  /** Runs that cannot be listed, or only without their text. */
  unreadable: { runId: string; error: Error }[];
  ms: number;
}

export type Progress = (done: number, total: number) => void;

export interface RefreshOptions {
  runsRoot: string;
  /** Reads all runs, even unchanged ones. */
  everything?: boolean;
  onProgress?: Progress | undefined;
  /** Renders the output of full-screen programs; without it, only conversations are searched. */
  openTerminal?: OpenTerminal | undefined;
  /** Called between pieces of the work; ends it by throwing. */
  check?: () => void;
  /** How long a piece of the work takes (default: 20 ms). */
  turnMs?: number | undefined;
}

/** Larger batches are faster; other processes see smaller ones sooner. */
const RUNS_PER_TRANSACTION = 4000;

/** Updates the index from the run folders. Of runs without a recorder, reads only those that changed. */
export async function refreshRuns(database: Database, options: RefreshOptions): Promise<Refreshed> {
  const { runsRoot, everything = false, onProgress, check, openTerminal, turnMs } = options;
  const begun = performance.now();
  const ids = listRunIds(runsRoot);
  const stamps = readStamps(database);
  const unreadable: Refreshed['unreadable'] = [];
  let done = 0;
  let read = 0;
  const yieldToEventLoop = createYielder(() => {
    check?.();
    onProgress?.(done, ids.length);
  }, turnMs);
  database.begin();
  try {
    if (everything) forgetDerived(database);
    for (const runId of ids) {
      const folder = runFolderAt(path.join(runsRoot, runId));
      const known = stamps.get(runId);
      stamps.delete(runId);
      if (everything || !known || known !== stampOf(folder)) {
        const error = await readOrExplain(database, folder, { yieldToEventLoop, openTerminal });
        if (error) unreadable.push({ runId, error });
        if (++read % RUNS_PER_TRANSACTION === 0) {
          database.commit();
          database.begin();
        }
      }
      done++;
      await yieldToEventLoop();
    }
    for (const runId of stamps.keys()) removeRun(database, runId); // Their folders are gone.
    database.commit();
  } catch (error) {
    database.rollback();
    throw error;
  }
  onProgress?.(done, ids.length);
  const { runs } = database.get<{ runs: number }>('SELECT count(*) AS runs FROM runs')!;
  return { runs, read, unreadable, ms: performance.now() - begun };
}

/** Returns an error of the run, if any; throws errors of the index. */
export async function readOrExplain(
  database: Database,
  folder: RunFolder,
  { yieldToEventLoop, openTerminal }: { yieldToEventLoop: Yielder; openTerminal: OpenTerminal | undefined },
): Promise<Error | null> {
  try {
    for (const _ of readRun(database, folder, { openTerminal })) await yieldToEventLoop();
    return null;
  } catch (error) {
    return explain(database, folder, error);
  }
}

/** A run with an unreadable record is not listed; one with an unreadable conversation is. */
export function explain(database: Database, folder: RunFolder, error: unknown): Error {
  if (error instanceof TachoError && (error.code === 'RUN_RECORD_CORRUPT' || error.code === 'FORMAT_TOO_NEW')) {
    removeRun(database, folder.runId);
    return error;
  }
  if (error instanceof Error && 'syscall' in error) return error;
  throw error;
}

/** Stamps of all indexed runs; empty for runs that must be read again. */
function readStamps(database: Database): Map<string, string> {
  const rows = database.all<{ run_id: string; stamp: string }>('SELECT run_id, stamp FROM runs');
  return new Map(rows.map(({ run_id, stamp }) => [run_id, stamp]));
}

/** Clears the data that a new read would not overwrite. */
function forgetDerived(database: Database): void {
  database.exec(`
    INSERT INTO words (words) VALUES ('delete-all');
    UPDATE runs SET page = 0, page_from = 0, page_seq = 0, read_to = -1, screens = 0, stamp = '';
    DELETE FROM counts;
    INSERT INTO counts SELECT status, engine, count(*) FROM runs GROUP BY status, engine;
  `);
}
