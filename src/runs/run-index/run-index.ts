import type { ReplyAnswer, RunRecord, RunStatus } from '../../protocol/index.ts';
import type { ListQuery } from '../director-api.ts';
import { findRun } from './find-run.ts';
import { openIndexFile, openIndexFileToRead } from './index-file.ts';
import { IndexKeeper, type KeeperOptions } from './index-keeper.ts';
import { countByStatus, endedIds, listRuns, type RunList } from './list-runs.ts';
import { nextInQueue, positions, queueSize, returnTaken, take } from './queue.ts';
import type { Progress, Refreshed } from './refresh.ts';
import { findReply, type RememberedReply, rememberReply } from './reply-file.ts';
import { putRun, removeRun } from './run-rows.ts';
import { clearTimer, dueTimers, nextDue, setTimer, type Timer } from './timers.ts';

/** Lists and searches runs, as any process may. */
export interface RunIndexReader {
  /** By run id or handle, or the beginning of either; null when there is none; throws RUN_AMBIGUOUS. */
  get(selector: string): RunRecord | null;
  /** Newest first. Words of runs that go on are found at once by the process that writes the index, later by others. */
  list(query: ListQuery): RunList;
  countByStatus(): Partial<Record<RunStatus, number>>;
  close(): void;
}

/** For the one process that writes it. Everything but timers of kinds unknown here follows from the run folders. */
export interface RunIndex extends RunIndexReader {
  /** Takes in what a record says: in lists, in the queue and for its timer at once; its text soon after. Never throws. */
  put(record: RunRecord): void;
  remove(runId: string): void;
  /** Runs that have ended, which need no looking after. */
  endedIds(): string[];

  /** The run to start next: highest priority first, then who came first. */
  next(): string | null;
  /** True for the one caller who gets it. The run is back when it is queued anew, or when this process dies. */
  take(runId: string): boolean;
  positions(): Map<string, number>;
  size(): number;

  /** One per run and kind. Those of kind `auto_reply` are set and cleared by what records say. */
  setTimer(runId: string, kind: string, dueAt: number, payload: unknown): void;
  clearTimer(runId: string, kind: string): void;
  dueTimers(now: number): Timer[];
  nextDue(): number | null;

  /** Kept in the run's folder, on disk when this returns. */
  rememberReply(runId: string, key: string, digest: string, answer: ReplyAnswer): void;
  findReply(runId: string, key: string): RememberedReply | null;

  /** Brings the index up to the run folders, reading only what has changed. */
  refresh(onProgress?: Progress): Promise<Refreshed>;
  /** Reads everything again. Lists stay whole meanwhile; words may not be found yet. */
  rebuild(onProgress?: Progress): Promise<Refreshed>;
  /** Resolves when the text of all runs that were put is read. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the index, makes it if it is missing, damaged or of another version, and brings it up to the run folders. */
export async function openRunIndex(options: KeeperOptions): Promise<RunIndex> {
  const { database, made } = await openIndexFile(options.file);
  if (made) options.onRebuild?.(made);
  const keeper = new IndexKeeper(database, options);
  try {
    await keeper.refresh({ everything: false });
    keeper.ask(returnTaken);
  } catch (error) {
    await keeper.close();
    throw error;
  }
  return {
    put(record) {
      keeper.change(record.run_id, (database) => putRun(database, record));
      keeper.readLater(record.run_id);
    },
    remove: (runId) => keeper.change(runId, (database) => removeRun(database, runId)),
    get: (selector) => keeper.ask((database) => findRun(database, selector)),
    list: (query) =>
      keeper.ask((database) => {
        if (query.q) keeper.readNow(database);
        return listRuns(database, query);
      }),
    countByStatus: () => keeper.ask(countByStatus),
    endedIds: () => keeper.ask(endedIds),
    next: () => keeper.ask(nextInQueue),
    take: (runId) => keeper.ask((database) => take(database, runId)),
    positions: () => keeper.ask(positions),
    size: () => keeper.ask(queueSize),
    setTimer: (runId, kind, dueAt, payload) =>
      keeper.ask((database) => setTimer(database, { runId, kind, dueAt, payload })),
    clearTimer: (runId, kind) => keeper.ask((database) => clearTimer(database, runId, kind)),
    dueTimers: (now) => keeper.ask((database) => dueTimers(database, now)),
    nextDue: () => keeper.ask(nextDue),
    rememberReply: (runId, key, digest, answer) => rememberReply(keeper.folderOf(runId), { key, digest, answer }),
    findReply: (runId, key) => findReply(keeper.folderOf(runId), key),
    refresh: (onProgress) => keeper.refresh({ everything: false, onProgress }),
    rebuild: (onProgress) => keeper.refresh({ everything: true, onProgress }),
    settled: () => keeper.settled(),
    close: () => keeper.close(),
  };
}

/** Opens the index beside the process that writes it. Throws INDEX_DAMAGED when there is none that can be used. */
export async function openRunIndexReader(file: string): Promise<RunIndexReader> {
  const database = await openIndexFileToRead(file);
  return {
    get: (selector) => findRun(database, selector),
    list: (query) => listRuns(database, query),
    countByStatus: () => countByStatus(database),
    close: () => database.close(),
  };
}
