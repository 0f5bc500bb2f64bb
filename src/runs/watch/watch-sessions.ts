import fs from 'node:fs';
import { type Flock, watchFolder } from '../../files/index.ts';
import type { RunContext } from '../context.ts';
import { prepareDataHome } from '../data-home.ts';
import { recoverLostRuns } from '../replay/recovery.ts';
import { type FoundFile, listSessions, type SessionFolder } from './session-folders.ts';
import { lockSessions, SessionRuns, sessionKey } from './session-runs.ts';
import { type SessionProgress, WatchedSession } from './watched-session.ts';

/** Changes come in bursts. */
const SETTLE_MS = 50;
/** Where the system reports no changes, and for folders that do not exist yet. */
const SCAN_INTERVAL_MS = 5000;
/** Folders by year, month and day; by project. */
const MAX_DEPTH = 8;

export type WatchProgress =
  | SessionProgress
  | { kind: 'ready'; engine: string; root: string; files: number }
  | { kind: 'refused'; engine: string; path: string }
  | { kind: 'failed'; engine: string; path: string; error: Error };

export interface WatchOptions {
  context: RunContext;
  sessions: readonly SessionFolder[];
  /** Also reads sessions that were written since this time (milliseconds since the epoch) and before the start. */
  since: number | null;
  /** An attempt is sealed when its file was not written for this long. */
  idleMs: number;
  /** Ends reading what is there already. */
  signal: AbortSignal;
  onProgress(progress: WatchProgress): void;
}

/**
 * Follows the session files of engines that people use outside of tacho, each as a run. Nothing is written to the
 * engines' folders, and nothing there that is not a regular file is opened.
 */
export class SessionWatch {
  readonly #options: WatchOptions;
  readonly #locks: Flock[] = [];
  readonly #followed = new Map<string, WatchedSession>();
  /** Versions of all files that were seen. */
  readonly #stamps = new Map<string, string>();
  readonly #refused = new Set<string>();
  readonly #watches = new Map<string, { stop(): void }>();
  readonly #changed = new Map<string, SessionFolder>();
  #work: Promise<void> = Promise.resolve();
  #soon: NodeJS.Timeout | undefined;
  #interval: NodeJS.Timeout | undefined;
  #isStopped = false;

  private constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** Reads what is there already. Throws WATCH_RUNNING when another process follows one of these engines. */
  static async open(options: WatchOptions): Promise<SessionWatch> {
    const watch = new SessionWatch(options);
    try {
      watch.#lock();
      // A watch that was killed left attempts to complete before they can be continued.
      await recoverLostRuns(options.context);
      for (const sessions of options.sessions) await watch.#readExisting(sessions);
      return watch;
    } catch (error) {
      await watch.stop();
      throw error;
    }
  }

  /** Follows changes from now on, until `stop`. */
  follow(): void {
    if (this.#isStopped) return;
    const scanAll = () => {
      for (const sessions of this.#options.sessions) this.#note(sessions.root, sessions);
    };
    scanAll();
    this.#interval = setInterval(
      () => {
        scanAll();
        this.#queue(() => this.#sealIdle());
      },
      Math.min(SCAN_INTERVAL_MS, this.#options.idleMs),
    );
  }

  /** Resolves when all changes noticed so far are recorded. */
  async settled(): Promise<void> {
    while (this.#soon !== undefined) await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    await this.#work;
  }

  /** Stops, after what is being read, and seals everything. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#interval);
    clearTimeout(this.#soon);
    for (const watch of this.#watches.values()) watch.stop();
    await this.#work;
    for (const session of this.#followed.values()) await this.#guard(session, () => session.close());
    for (const lock of this.#locks) lock.release();
  }

  #lock(): void {
    const { context, sessions } = this.#options;
    prepareDataHome(context.home);
    for (const { profile } of sessions) this.#locks.push(lockSessions(context.home, profile.name));
  }

  async #readExisting(sessions: SessionFolder): Promise<void> {
    const { since, onProgress } = this.#options;
    const found = this.#walk(sessions, sessions.root);
    onProgress({ kind: 'ready', engine: sessions.profile.name, root: sessions.root, files: found.length });
    const runs = this.#runsOf(sessions);
    for (const file of found.toSorted((one, other) => one.mtimeMs - other.mtimeMs)) {
      if (this.#options.signal.aborted) return;
      this.#stamps.set(file.path, file.stamp);
      const key = sessionKey(file.path, null);
      // Read to its end before; if its run was removed, it stays removed until the session goes on.
      if (runs.readStamp(key) === file.stamp) continue;
      // What an earlier watch began is completed, whatever its age.
      const isWanted = runs.find(key) !== null || (since !== null && file.mtimeMs >= since);
      if (isWanted) await this.#update(sessions, file.path, { seal: true });
    }
  }

  #walk(sessions: SessionFolder, folder: string, depth = 0): FoundFile[] {
    const { files, folders, refused } = listSessions(folder, sessions.format);
    this.#refuse(sessions, refused);
    if (depth === MAX_DEPTH) return files;
    return [...files, ...folders.flatMap((inner) => this.#walk(sessions, inner, depth + 1))];
  }

  /** Schedules a look at a folder. */
  #note(folder: string, sessions: SessionFolder): void {
    if (this.#isStopped) return;
    this.#changed.set(folder, sessions);
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      const changed = [...this.#changed];
      this.#changed.clear();
      for (const [place, of] of changed) this.#queue(() => this.#look(place, of));
    }, SETTLE_MS);
  }

  /** Watches a folder and the ones in it, and records changed files. */
  async #look(folder: string, sessions: SessionFolder, deep = folder === sessions.root): Promise<void> {
    if (this.#isStopped) return;
    if (!fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
      this.#watches.get(folder)?.stop();
      this.#watches.delete(folder);
      return;
    }
    if (!this.#watches.has(folder)) {
      const watch = watchFolder(
        folder,
        () => true,
        () => this.#note(folder, sessions),
      );
      this.#watches.set(folder, watch);
    }
    const { files, folders, refused } = listSessions(folder, sessions.format);
    this.#refuse(sessions, refused);
    for (const inner of folders) {
      // From the root all of them, because a change may have been missed.
      if (deep || !this.#watches.has(inner)) await this.#look(inner, sessions, deep);
    }
    for (const file of files) {
      if (this.#stamps.get(file.path) === file.stamp) continue;
      this.#stamps.set(file.path, file.stamp);
      await this.#update(sessions, file.path, { seal: false });
      if (this.#isStopped) return;
    }
  }

  async #update(sessions: SessionFolder, file: string, { seal }: { seal: boolean }): Promise<void> {
    const session = this.#followed.get(file) ?? this.#session(sessions, file);
    this.#followed.set(file, session);
    await this.#guard(session, () => session.update());
    if (seal) await this.#guard(session, () => session.close());
  }

  #session(sessions: SessionFolder, file: string): WatchedSession {
    const { context, onProgress } = this.#options;
    return new WatchedSession({ context, sessions, path: file, runs: this.#runsOf(sessions), onProgress });
  }

  #runsOf({ profile }: SessionFolder): SessionRuns {
    return new SessionRuns(this.#options.context.home, profile.name);
  }

  async #sealIdle(): Promise<void> {
    for (const session of this.#followed.values()) {
      if (session.isOpen && session.idleMs >= this.#options.idleMs) await this.#guard(session, () => session.close());
    }
  }

  /** A session that cannot be read or recorded does not stop the others. */
  async #guard(session: WatchedSession, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#options.onProgress({ kind: 'failed', engine: session.engine, path: session.path, error: error as Error });
    }
  }

  #refuse({ profile }: SessionFolder, places: readonly string[]): void {
    for (const place of places) {
      if (this.#refused.has(place)) continue;
      this.#refused.add(place);
      this.#options.onProgress({ kind: 'refused', engine: profile.name, path: place });
    }
  }

  #queue(work: () => Promise<void>): void {
    this.#work = this.#work.then(work);
  }
}
