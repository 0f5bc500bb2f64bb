import type { RunRecord, RunStatus } from '../../protocol/index.ts';
import { openIndexFile } from './index-file.ts';
import { IndexKeeper, type KeeperOptions } from './index-keeper.ts';
import type { ListQuery } from './list-runs.ts';
import { countByStatus, endedIds, listRuns, type RunList } from './list-runs.ts';
import type { Progress, Refreshed } from './refresh.ts';
import { putRun, removeRun } from './run-rows.ts';

/** Lists and searches runs, for the one process that writes it. All content is derived from the run folders. */
export interface RunIndex {
  /** Newest first. The text of live runs is up to date. */
  list(query: ListQuery): RunList;
  countByStatus(): Partial<Record<RunStatus, number>>;
  /** Runs that have ended, which need no watching. */
  endedIds(): string[];

  /** Adds a record: to lists at once, its text shortly after. Never throws. */
  put(record: RunRecord): void;
  remove(runId: string): void;

  /** Updates the index from the run folders, reading only changed ones. */
  refresh(onProgress?: Progress): Promise<Refreshed>;
  /** Reads everything again. Lists stay complete meanwhile; searches may not. */
  rebuild(onProgress?: Progress): Promise<Refreshed>;
  /** Resolves when the text of all added runs has been read. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the index, rebuilds it if it is missing, damaged or of another version, and updates it from the run folders.
 */
export async function openRunIndex(options: KeeperOptions): Promise<RunIndex> {
  const { database, made } = await openIndexFile(options.file);
  if (made) options.onRebuild?.(made);
  const keeper = new IndexKeeper(database, options);
  try {
    await keeper.refresh({ everything: false });
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
    list: (query) =>
      keeper.ask((database) => {
        if (query.q) keeper.readNow(database);
        return listRuns(database, query);
      }),
    countByStatus: () => keeper.ask(countByStatus),
    endedIds: () => keeper.ask(endedIds),
    refresh: (onProgress) => keeper.refresh({ everything: false, onProgress }),
    rebuild: (onProgress) => keeper.refresh({ everything: true, onProgress }),
    settled: () => keeper.settled(),
    close: () => keeper.close(),
  };
}
