import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/** The net under the watch: how long a lost notice can delay a reader. */
const POLL_WITH_WATCH_MS = 1000;
/** When the system has no watch left to give (inotify instances are few), the poll is all there is. */
const POLL_ALONE_MS = 25;

/** Readers of this process, by the log they follow: they need no notice from the kernel. */
const watchersByPath = new Map<string, Set<LogWatcher>>();

export function wakeReaders(path: string): void {
  for (const watcher of watchersByPath.get(path) ?? []) watcher.wake();
}

/** Tells a reader that the log may have grown. Start it before reading, so that nothing falls between. */
export class LogWatcher {
  readonly #path: string;
  #watcher: FSWatcher | null = null;
  #watchedFile = false;
  #awake = false;
  #resume: (() => void) | null = null;

  constructor(path: string) {
    this.#path = path;
    const watchers = watchersByPath.get(path) ?? new Set();
    watchersByPath.set(path, watchers.add(this));
    this.watchFile();
  }

  /** Watches the log itself, or its folder until there is a log. Watching the folder for good would wake us for every file in it. */
  watchFile(): void {
    if (this.#watchedFile) return;
    this.#watcher?.removeAllListeners().close();
    this.#watcher = startWatch(this.#path, () => this.wake());
    this.#watchedFile = this.#watcher !== null;
    this.#watcher ??= startWatch(dirname(this.#path), (name) => {
      if (name === null || name === basename(this.#path)) this.wake();
    });
    this.#watcher?.once('error', () => {
      this.#watcher?.close();
      this.#watcher = null;
      this.wake();
    });
  }

  wake(): void {
    this.#awake = true;
    this.#resume?.();
  }

  /** Returns when there may be something to read, also when there was since the last call; or when `signal` aborts. */
  async wait(signal: AbortSignal | undefined): Promise<void> {
    if (!this.#awake && !signal?.aborted) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, this.#watcher === null ? POLL_ALONE_MS : POLL_WITH_WATCH_MS);
        this.#resume = () => {
          clearTimeout(timer);
          resolve();
        };
        signal?.addEventListener('abort', this.#resume);
      });
      if (this.#resume !== null) signal?.removeEventListener('abort', this.#resume);
      this.#resume = null;
    }
    this.#awake = false;
  }

  close(): void {
    this.#watcher?.close();
    const watchers = watchersByPath.get(this.#path);
    watchers?.delete(this);
    if (watchers?.size === 0) watchersByPath.delete(this.#path);
  }
}

function startWatch(path: string, onChange: (name: string | null) => void): FSWatcher | null {
  try {
    return watch(path, (_change, name) => onChange(name));
  } catch {
    return null;
  }
}
