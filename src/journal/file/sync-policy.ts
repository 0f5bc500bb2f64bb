import { fdatasync } from 'node:fs';
import { promisify } from 'node:util';

/**
 * When appended bytes are forced to the disk. A killed process loses nothing with any of them; they differ in what a power cut
 * can take: nothing that was acknowledged (`each`), the last interval (`interval`), what the kernel still held (`off`).
 */
export type FsyncMode = 'each' | 'interval' | 'off';

const syncData = promisify(fdatasync);

export class SyncPolicy {
  readonly #fd: number;
  readonly #mode: FsyncMode;
  readonly #intervalMs: number;
  /** Syncs run one after the other, so that appends are acknowledged in their order. */
  #queue: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | null = null;
  #failure: unknown = null;

  constructor(fd: number, mode: FsyncMode, intervalMs: number) {
    this.#fd = fd;
    this.#mode = mode;
    this.#intervalMs = intervalMs;
  }

  /** Throws, once, when a sync in the background has failed. */
  check(): void {
    const failure = this.#failure;
    this.#failure = null;
    if (failure !== null) throw failure;
  }

  /** Null when there is nothing to wait for. `durable` forces what was written to the disk, whatever the mode. */
  afterWrite({ durable }: { durable: boolean }): Promise<void> | null {
    if (durable || this.#mode === 'each') return this.#sync();
    if (this.#mode === 'interval') {
      // Not keeping the process alive for it: what is written survives the process anyway.
      this.#timer ??= setTimeout(() => this.#syncInBackground(), this.#intervalMs).unref();
    }
    return null;
  }

  /** The last sync, before the file is closed. */
  async finish(): Promise<void> {
    const unsynced = this.#timer !== null;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await (unsynced ? this.#sync() : this.#queue);
    this.check();
  }

  #sync(): Promise<void> {
    const synced = this.#queue.then(() => syncData(this.#fd));
    this.#queue = synced.catch(() => {});
    return synced;
  }

  #syncInBackground(): void {
    this.#timer = null;
    this.#sync().catch((error) => {
      this.#failure = error;
    });
  }
}
