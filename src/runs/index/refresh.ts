import path from 'node:path';
import { TachoError } from '../../protocol/index.ts';
import { listRunIds, type RunFolder, runFolderAt } from '../../recording/index.ts';
import type { Database } from '../../storage/index.ts';
import { type Breath, createBreath } from './breath.ts';
import { readRun, stampOf } from './read-run.ts';
import { removeRun } from './run-rows.ts';

export interface Refreshed {
  /** In the index now. */
  runs: number;
  /** How many had to be read. */
  read: number;
  /** Runs that cannot be listed, or only without their text. */
  unreadable: { runId: string; error: Error }[];
  ms: number;
}

export type Progress = (done: number, total: number) => void;

export interface RefreshOptions {
  runsRoot: string;
  /** Reads all runs, whether they seem changed or not. */
  everything?: boolean;
  onProgress?: Progress | undefined;
  /** Called between pieces of the work; ends it by throwing. */
  check?: () => void;
}

/** Larger pieces are written faster, smaller ones are sooner seen by other processes. */
const RUNS_PER_TRANSACTION = 4000;

/** Brings the index up to the run folders. Of runs that nobody records, only those are read that were changed since. */
export async function refreshRuns(database: Database, options: RefreshOptions): Promise<Refreshed> {
  const { runsRoot, everything = false, onProgress, check } = options;
  const begun = performance.now();
  const ids = listRunIds(runsRoot);
  const stamps = readStamps(database);
  const unreadable: Refreshed['unreadable'] = [];
  let done = 0;
  let read = 0;
  const breathe = createBreath(() => {
    check?.();
    onProgress?.(done, ids.length);
  });
  database.begin();
  try {
    if (everything) forgetDerived(database);
    for (const runId of ids) {
      const folder = runFolderAt(path.join(runsRoot, runId));
      const known = stamps.get(runId);
      stamps.delete(runId);
      if (everything || !known || known !== stampOf(folder)) {
        const error = await readOrExplain(database, folder, breathe);
        if (error) unreadable.push({ runId, error });
        if (++read % RUNS_PER_TRANSACTION === 0) {
          database.commit();
          database.begin();
        }
      }
      done++;
      await breathe();
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

/** What is wrong with the run, if anything is. What is wrong with the index is thrown. */
export async function readOrExplain(database: Database, folder: RunFolder, breathe: Breath): Promise<Error | null> {
  try {
    for (const _ of readRun(database, folder)) await breathe();
    return null;
  } catch (error) {
    return explain(database, folder, error);
  }
}

/** A run whose record cannot be read is not listed; one whose conversation cannot be read is. */
export function explain(database: Database, folder: RunFolder, error: unknown): Error {
  if (error instanceof TachoError && (error.code === 'RUN_RECORD_CORRUPT' || error.code === 'FORMAT_TOO_NEW')) {
    removeRun(database, folder.runId);
    return error;
  }
  if (error instanceof Error && 'syscall' in error) return error;
  throw error;
}

/** Stamps of all runs in the index; empty for one that has to be read again in any case. */
function readStamps(database: Database): Map<string, string> {
  const rows = database.all<{ run_id: string; stamp: string }>('SELECT run_id, stamp FROM runs');
  return new Map(rows.map(({ run_id, stamp }) => [run_id, stamp]));
}

/** What is not simply put in the place of what was there before. */
function forgetDerived(database: Database): void {
  database.exec(`
    INSERT INTO words (words) VALUES ('delete-all');
    UPDATE runs SET page = 0, page_from = 0, page_seq = 0, read_to = -1, stamp = '';
    DELETE FROM counts;
    INSERT INTO counts SELECT status, engine, count(*) FROM runs GROUP BY status, engine;
  `);
}
