import fs from 'node:fs';
import path from 'node:path';
import { errnoOf, every, type Repeated } from '../../files/index.ts';
import { isSealed, RUN_RECORD_FILE, type RunRecord } from '../../protocol/index.ts';
import { listRunIds, type RunFolder, readRunRecord, runFolderAt } from '../../recording/index.ts';
import type { DataHome } from '../data-home.ts';

const POLL_INTERVAL_MS = 1000;

export interface ActiveRunsListener {
  changed(record: RunRecord, before: RunRecord | null): void;
  /** The run's folder was removed, by any process. Also called for ended runs. */
  removed(runId: string): void;
  /** A record or the folder of all runs could not be read, or a listener failed; it is retried. */
  failed(error: unknown, place: string): void;
}

interface Watched {
  folder: RunFolder;
  record: RunRecord;
  watcher: fs.FSWatcher | null;
}

/**
 * Runs that have not ended, according to their records, whichever process writes them. Changes are noticed at once if
 * the system provides a watch, otherwise within a second.
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

  /** Starts watching. `ended` names ended runs, which need not be read. */
  open(ended: Iterable<string>): void {
    for (const runId of ended) this.#known.add(runId);
    this.#polling = every(POLL_INTERVAL_MS, () => this.poll(), { onError: this.#failedAt(this.#home.runs) });
    try {
      this.#root = fs.watch(this.#home.runs, () => this.#guarded(this.#home.runs, () => this.#scanFolders()));
      this.#root.on('error', () => this.#root?.close());
    } catch {
      // No watch available: polling is enough.
    }
  }

  get(runId: string): RunRecord | null {
    return this.#runs.get(runId)?.record ?? null;
  }

  all(): RunRecord[] {
    return [...this.#runs.values()].map(({ record }) => record);
  }

  /** Reads the records of all runs that may have changed. */
  poll(): void {
    this.#guarded(this.#home.runs, () => this.#scanFolders());
    for (const { folder } of [...this.#runs.values()]) this.#guarded(folder.path, () => this.refresh(folder));
  }

  /** Reads one record again, and notifies if it changed. */
  refresh(folder: RunFolder): RunRecord | null {
    const watched = this.#runs.get(folder.runId);
    const record = this.#read(folder);
    if (record === 'unknown') return watched?.record ?? null;
    if (!record) {
      if (watched) this.#forget(folder.runId);
      return null;
    }
    // A supervisor that ends while the server closes calls this again, and a new watch would keep the process alive.
    if (this.#closed) return record;
    // An end is reported once.
    if (!watched && isSealed(record) && this.#known.has(folder.runId)) return record;
    const before = watched?.record ?? null;
    if (before && isSame(before, record)) return record;
    if (watched) watched.record = record;
    else if (!isSealed(record)) this.#runs.set(folder.runId, { folder, record, watcher: this.#watch(folder) });
    this.#known.add(folder.runId);
    try {
      this.#listener.changed(record, before);
    } catch (error) {
      // Restores the old record, so that the next poll sees the change again.
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

  /** Notifies, once, that a run was removed. */
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

  #scanFolders(): void {
    const there = listRunIds(this.#home.runs);
    const unknown = there.filter((runId) => !this.#known.has(runId));
    if (there.length - unknown.length < this.#known.size) this.#removeOthers(new Set(there));
    for (const runId of unknown) {
      const folder = runFolderAt(path.join(this.#home.runs, runId));
      // A folder without a record is being created.
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
      return null; // Out of watches: polling is enough.
    }
  }

  /**
   * Null if removed or damaged; `unknown` if it could not be read for another reason, such as a lack of descriptors.
   */
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

/** True when no field that matters here has changed. */
function isSame(one: RunRecord, other: RunRecord): boolean {
  const facts = ({ status, updated_at, live }: RunRecord) => [status, updated_at, live?.attempt, live?.started_at];
  return facts(one).every((fact, at) => fact === facts(other)[at]);
}
