import type { ServerResponse } from 'node:http';
import { TachoError } from '../protocol/index.ts';

/** Half of libuv's threads: reading records never blocks the file access of other requests. */
const MAX_AT_ONCE = 2;
/** Further requests are rejected instead of waiting for minutes. */
const MAX_WAITING = 64;

interface TurnsOptions {
  maxAtOnce?: number;
  maxWaiting?: number;
}

/**
 * Limits how many requests read whole records at once; others wait in their order of arrival. A client that disconnects
 * while waiting loses its turn.
 */
export class Turns {
  readonly #maxAtOnce: number;
  readonly #maxWaiting: number;
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor({ maxAtOnce = MAX_AT_ONCE, maxWaiting = MAX_WAITING }: TurnsOptions = {}) {
    this.#maxAtOnce = maxAtOnce;
    this.#maxWaiting = maxWaiting;
  }

  /** Calls `work` for the response `to` when its turn comes. Throws RESOURCE_PRESSURE if too many are waiting. */
  async take<T>(to: ServerResponse, work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#maxAtOnce) await this.#wait(to);
    else this.#running++;
    try {
      return await work();
    } finally {
      const [next] = this.#waiting;
      // Passes the turn on directly, so that a new request cannot take it.
      if (next) next();
      else this.#running--;
    }
  }

  #wait(answer: ServerResponse): Promise<void> {
    if (this.#waiting.size >= this.#maxWaiting) {
      throw new TachoError('RESOURCE_PRESSURE', 'the server is reading as many records as it can', {
        facts: { running: this.#running, waiting: this.#waiting.size },
        fix: 'Retry later.',
      });
    }
    return new Promise((resolve, reject) => {
      const next = () => {
        this.#waiting.delete(next);
        answer.off('close', leave);
        resolve();
      };
      const leave = () => {
        this.#waiting.delete(next);
        reject(new DOMException('the client disconnected', 'AbortError'));
      };
      answer.once('close', leave);
      this.#waiting.add(next);
    });
  }
}
