import fs from 'node:fs';
import path from 'node:path';
import { TachoError } from '../../protocol/index.ts';
import { type OpenTerminal, type RunFolder, runFolderAt } from '../../recording/index.ts';
import { type Database, isDamage } from '../../storage/index.ts';
import { makeIndexFile, type RebuildReason } from './index-file.ts';
import { conversationFileOf, readRun } from './read-run.ts';
import { explain, type Progress, type Refreshed, readOrExplain, refreshRuns } from './refresh.ts';
import { indexNextPage } from './word-pages.ts';
import { createYielder } from './yielder.ts';

export interface KeeperOptions {
  file: string;
  runsRoot: string;
  /** The index is rebuilt, which takes a while with many runs. */
  onRebuild?: ((reason: RebuildReason) => void) | undefined;
  onProgress?: Progress | undefined;
  /** Renders the output of full-screen programs; without it, only conversations are searched. */
  openTerminal?: OpenTerminal | undefined;
  /** A problem that does not stop the index: an unreadable run, a full disk. */
  onProblem?: ((error: Error) => void) | undefined;
  /** How long to read run folders before other work gets a turn (default: 20 ms). */
  turnMs?: number | undefined;
}

/** Ends work in progress when the index is closed. */
class Closed extends Error {}

/**
 * Keeps an index complete and in step with the run folders: reads new content of runs, and deletes and rebuilds a
 * damaged file. A failure of the index never fails a run.
 */
export class IndexKeeper {
  readonly #options: KeeperOptions;
  /** Null while it is being rebuilt. */
  #database: Database | null;
  /** Runs whose folders may be ahead of the index. */
  readonly #due = new Set<string>();
  #reading: Promise<void> | null = null;
  #healing: Promise<Refreshed> | null = null;
  #refreshing: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(database: Database, options: KeeperOptions) {
    this.#database = database;
    this.#options = options;
  }

  folderOf(runId: string): RunFolder {
    return runFolderAt(path.join(this.#options.runsRoot, runId));
  }

  /** Throws INDEX_DAMAGED during a rebuild. */
  ask<Answer>(work: (database: Database) => Answer): Answer {
    if (this.#closed) throw new Closed('the index was closed');
    if (!this.#database) {
      this.#heal().catch((error) => this.#report(error));
      throw new TachoError('INDEX_DAMAGED', `${this.#options.file} is being made again from the run folders`, {
        facts: { path: this.#options.file },
        fix: 'Try again in a moment.',
      });
    }
    try {
      return work(this.#database);
    } catch (error) {
      if (isDamage(error)) this.#report(error);
      throw error;
    }
  }

  /** A failed change is read from the run's folder later. */
  change(runId: string, work: (database: Database) => void): void {
    if (this.#closed) return;
    try {
      if (this.#database) work(this.#database);
      else this.#due.add(runId);
    } catch (error) {
      this.#due.add(runId);
      this.#report(error);
    }
  }

  /** Schedules a read of the run's folder. */
  readLater(runId: string): void {
    this.#due.add(runId);
    this.#readSoon();
  }

  /** Before a search, reads scheduled runs and new messages of live runs. */
  readNow(database: Database): void {
    for (const runId of [...this.#due]) {
      this.#due.delete(runId);
      this.#attempt(database, runId, () => {
        const reading = readRun(database, this.folderOf(runId), 'later');
        let step = reading.next();
        while (!step.done) step = reading.next();
        // Rendering screens takes longer than a search may.
        if (!step.value.complete) this.readLater(runId);
      });
    }
    const live = database.all<{ run_id: string; read_to: number }>(
      "SELECT run_id, read_to FROM runs WHERE status IN ('running', 'waiting_approval')",
    );
    for (const { run_id: runId, read_to } of live) {
      const file = conversationFileOf(this.folderOf(runId));
      if (fs.statSync(file, { throwIfNoEntry: false })?.size === read_to) continue;
      this.#attempt(database, runId, () => {
        while (indexNextPage(database, runId, file));
      });
    }
  }

  /** One at a time. */
  refresh(options: { everything: boolean; onProgress?: Progress | undefined }): Promise<Refreshed> {
    const refreshed = this.#refreshing.then(
      () => this.#refresh(options),
      () => this.#refresh(options),
    );
    this.#refreshing = refreshed;
    return refreshed;
  }

  /** Resolves when nothing is scheduled. */
  async settled(): Promise<void> {
    while (this.#healing || this.#reading) await (this.#healing ?? this.#reading);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled([this.#reading, this.#healing, this.#refreshing]);
    this.#database?.close();
  }

  async #refresh(options: { everything: boolean; onProgress?: Progress | undefined }): Promise<Refreshed> {
    const database = this.#database;
    const { runsRoot, onProgress, openTerminal, turnMs } = this.#options;
    if (!database) return this.#heal();
    try {
      const refreshed = await refreshRuns(database, {
        ...{ runsRoot, onProgress, openTerminal, turnMs, check: () => this.#check() },
        ...options,
      });
      for (const { error } of refreshed.unreadable) this.#options.onProblem?.(error);
      return refreshed;
    } catch (error) {
      // Another caller may have found the damage first.
      if (isDamage(error) || this.#database !== database) return this.#heal();
      throw error;
    }
  }

  #readSoon(): void {
    this.#reading ??= this.#readDue().finally(() => {
      this.#reading = null;
    });
  }

  async #readDue(): Promise<void> {
    await new Promise(setImmediate);
    const yieldToEventLoop = createYielder(() => this.#check());
    for (const runId of this.#due) {
      if (!this.#database || this.#closed) return;
      try {
        this.#due.delete(runId);
        const { openTerminal } = this.#options;
        const error = await readOrExplain(this.#database, this.folderOf(runId), { yieldToEventLoop, openTerminal });
        if (error) this.#options.onProblem?.(error);
      } catch (error) {
        this.#due.add(runId);
        this.#report(error);
        return;
      }
    }
  }

  /** An unreadable run or a full disk does not stop a search. */
  #attempt(database: Database, runId: string, work: () => void): void {
    try {
      try {
        work();
      } catch (error) {
        this.#options.onProblem?.(explain(database, this.folderOf(runId), error));
      }
    } catch (error) {
      if (!(error instanceof TachoError) || isDamage(error)) throw error;
      this.#due.add(runId);
      this.#options.onProblem?.(error);
    }
  }

  #heal(): Promise<Refreshed> {
    this.#healing ??= this.#makeAgain().finally(() => {
      this.#healing = null;
      this.#readSoon();
    });
    return this.#healing;
  }

  async #makeAgain(): Promise<Refreshed> {
    const { file, runsRoot, onRebuild, onProgress, openTerminal } = this.#options;
    this.#database?.close();
    this.#database = null;
    onRebuild?.('damaged');
    const database = await makeIndexFile(file);
    try {
      const refreshed = await refreshRuns(database, { runsRoot, onProgress, openTerminal, check: () => this.#check() });
      this.#database = database;
      return refreshed;
    } catch (error) {
      database.close();
      throw error;
    }
  }

  #report(error: unknown): void {
    if (error instanceof Closed) return;
    if (!(error instanceof TachoError)) throw error;
    this.#options.onProblem?.(error);
    if (isDamage(error) && this.#database) this.#heal().catch((failure) => this.#report(failure));
  }

  #check(): void {
    if (this.#closed) throw new Closed('the index was closed');
  }
}
