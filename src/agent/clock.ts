import { setTimeout as delay } from 'node:timers/promises';

/** The time of an agent. Passed in, so that a replay and a test decide what time it is. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Rejects with the reason of `signal` as soon as it aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** A timer for longer would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The time of the system. */
export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    signal.throwIfAborted();
    const end = performance.now() + ms;
    for (let left = ms; left > 0; left = end - performance.now()) {
      try {
        await delay(Math.min(left, MAX_TIMER_MS), undefined, { signal });
      } catch (error) {
        // The timer rejects with an error of its own; the reason says who aborted it, and why.
        signal.throwIfAborted();
        throw error;
      }
    }
  },
};
