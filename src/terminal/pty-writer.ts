import fs from 'node:fs';
import { errnoOf } from '../files/index.ts';

const MAX_PAUSE_MS = 20;

interface Waiting {
  bytes: Uint8Array;
  /** How much of it was written. */
  at: number;
  done(): void;
}

/**
 * Writes to the master of a pseudo-terminal, which must be non-blocking. Node's own stream would block this whole process
 * until the program reads, which it may never do.
 */
export class PtyWriter {
  readonly #master: number;
  readonly #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(master: number) {
    this.#master = master;
  }

  /** Resolves when the terminal has accepted the bytes, or was closed. */
  write(bytes: Uint8Array): Promise<void> {
    if (this.#closed || bytes.length === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push({ bytes, at: 0, done: resolve });
      if (this.#timer === null) this.#flush(1);
    });
  }

  /** Must be called before the master is closed. */
  close(): void {
    this.#closed = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    for (const { done } of this.#waiting.splice(0)) done();
  }

  #flush(pauseMs: number): void {
    this.#timer = null;
    for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
      const written = this.#tryWrite(first);
      if (written === 'closed') {
        this.close();
        return;
      }
      if (written === 'full') {
        const next = Math.min(pauseMs * 2, MAX_PAUSE_MS);
        // Does not keep this process alive; the open terminal does.
        this.#timer = setTimeout(() => this.#flush(next), pauseMs).unref();
        return;
      }
      first.at += written;
      if (first.at < first.bytes.length) continue;
      this.#waiting.shift();
      first.done();
    }
  }

  #tryWrite({ bytes, at }: Waiting): number | 'full' | 'closed' {
    try {
      return fs.writeSync(this.#master, bytes, at, bytes.length - at);
    } catch (error) {
      if (errnoOf(error) === 'EINTR') return 0;
      // EIO: the program has hung its terminal up.
      return errnoOf(error) === 'EAGAIN' ? 'full' : 'closed';
    }
  }
}
