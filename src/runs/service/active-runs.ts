import fs from 'node:fs';
import path from 'node:path';
import { errnoOf, every, type Repeated } from '../../files/index.ts';
import { isSealed, RUN_RECORD_FILE, type RunRecord } from '../../protocol/index.ts';
import { listRunIds, type RunFolder, readRunRecord, runFolderAt } from '../../recording/index.ts';
import type { DataHome } from '../data-home.ts';

const POLL_INTERVAL_MS = 1000;

export interface ActiveRunsListener {
  changed(record: RunRecord, before: RunRecord | null): void;
  /** Its folder is gone, whoever took it away. Told of runs that have ended, too. */
  removed(runId: string): void;
  /** A record or the folder of all runs could not be read, or a change not be handled; it is tried again. */
  failed(error: unknown, place: string): void;
}

interface Watched {
  folder: RunFolder;
  record: RunRecord;
  watcher: fs.FSWatcher | null;
}

/**
 * Runs that have not ended, as their records say; whoever writes them. A record that changes is heard of at once where
 * the system gives us a watch, and within a second where it does not.
 */
export class ActiveRuns {
  readonly #home: DataHome;
  readonly #listener: ActiveRunsListener;
  readonly #runs = new Map<string, Watched>();
  readonly #known = new Set<string>();
  #polling: Repeated | null = null;
  #root: fs.FSWatcher | null = null;
  #closed = false;

  constructor(home: DataHome, listener: ActiveRunsListener) {
    this.#home = home;
    this.#listener = listener;
  }

  /** Begins to watch. `ended` names runs that are over, so that not every run there ever was has to be read. */
  open(ended: Iterable<string>): void {
    for (const runId of ended) this.#known.add(runId);
    this.#polling = every(POLL_INTERVAL_MS, () => this.look(), { onError: this.#failedAt(this.#home.runs) });
    try {
      this.#root = fs.watch(this.#home.runs, () => this.#guarded(this.#home.runs, () => this.#lookAtFolders()));
      this.#root.on('error', () => this.#root?.close());
    } catch {
      // No watch to be had: looking each second does.
    }
  }

  get(runId: string): RunRecord | null {
    return this.#runs.get(runId)?.record ?? null;
  }

  all(): RunRecord[] {
    return [...this.#runs.values()].map(({ record }) => record);
  }

  /** Reads the records of all runs that may have changed. */
  look(): void {
    this.#guarded(this.#home.runs, () => this.#lookAtFolders());
    for (const { folder } of [...this.#runs.values()]) this.#guarded(folder.path, () => this.refresh(folder));
  }

  /** Reads one record again, and tells if it changed. */
  refresh(folder: RunFolder): RunRecord | null {
    const watched = this.#runs.get(folder.runId);
    const record = this.#read(folder);
    if (record === 'unknown') return watched?.record ?? null;
    if (!record) {
      if (watched) this.#forget(folder.runId);
      return null;
    }
    // A supervisor that ends while the server does asks once more, and a watch of it would keep the process alive.
    if (this.#closed) return record;
    // An end is told once.
    if (!watched && isSealed(record) && this.#known.has(folder.runId)) return record;
    const before = watched?.record ?? null;
    if (before && isSame(before, record)) return record;
    if (watched) watched.record = record;
    else if (!isSealed(record)) this.#runs.set(folder.runId, { folder, record, watcher: this.#watch(folder) });
    this.#known.add(folder.runId);
    try {
      this.#listener.changed(record, before);
    } catch (error) {
      // As if the change had not been seen, so that the next look sees it.
      if (watched) watched.record = watched.record === record ? before! : watched.record;
      else {
        this.#forget(folder.runId);
        this.#known.delete(folder.runId);
      }
      throw error;
    }
    if (isSealed(record)) this.#forget(folder.runId);
    return record;
  }

  /** Tells, once, that a run is there no more. */
  remove(runId: string): void {
    this.#forget(runId);
    if (this.#known.delete(runId)) this.#listener.removed(runId);
  }

  close(): void {
    this.#closed = true;
    this.#polling?.stop();
    this.#root?.close();
    for (const runId of [...this.#runs.keys()]) this.#forget(runId);
  }

  #forget(runId: string): void {
    this.#runs.get(runId)?.watcher?.close();
    this.#runs.delete(runId);
  }

  #lookAtFolders(): void {
    const there = listRunIds(this.#home.runs);
    const unknown = there.filter((runId) => !this.#known.has(runId));
    if (there.length - unknown.length < this.#known.size) this.#removeOthers(new Set(there));
    for (const runId of unknown) {
      const folder = runFolderAt(path.join(this.#home.runs, runId));
      // A folder without a record is one that is just being made.
      const isThere = fs.lstatSync(path.join(folder.path, RUN_RECORD_FILE), { throwIfNoEntry: false }) !== undefined;
      if (isThere) this.#guarded(folder.path, () => this.refresh(folder));
    }
  }

  #removeOthers(there: ReadonlySet<string>): void {
    for (const runId of [...this.#known]) if (!there.has(runId)) this.remove(runId);
  }

  #watch(folder: RunFolder): fs.FSWatcher | null {
    try {
      const watcher = fs.watch(folder.path, (_, name) => {
        if (name === RUN_RECORD_FILE) this.#guarded(folder.path, () => this.refresh(folder));
      });
      watcher.on('error', () => watcher.close());
      return watcher;
    } catch {
      return null; // Out of watches: looking each second does.
    }
  }

  /** Null when it is gone or damaged; `unknown` when it could not be read for another reason, such as no descriptors. */
  #read(folder: RunFolder): RunRecord | null | 'unknown' {
    try {
      return readRunRecord(folder);
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === 'ENOENT' || errno === 'ENOTDIR') return null;
      this.#failedAt(folder.path)(error);
      return errno === undefined ? null : 'unknown';
    }
  }

  #guarded(place: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#failedAt(place)(error);
    }
  }

  #failedAt(place: string): (error: unknown) => void {
    return (error) => this.#listener.failed(error, place);
  }
}

/** Nothing that anybody here acts on has changed. */
function isSame(one: RunRecord, other: RunRecord): boolean {
  const facts = ({ status, updated_at, live }: RunRecord) => [status, updated_at, live?.attempt, live?.started_at];
  return facts(one).every((fact, at) => fact === facts(other)[at]);
}
