import { setTimeout as sleep } from 'node:timers/promises';

export interface PollOptions {
  everyMs: number;
  /** Without it, polls until there is something or the signal aborts. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

type Found<T> = Exclude<T, null | undefined | false>;

/**
 * Calls `look` until it returns something other than null, undefined and false, and returns that; null after the
 * timeout, with one last look at its end. Rejects when `look` throws, and with the signal's reason when it aborts.
 */
export async function pollUntil<T>(
  look: () => T | Promise<T>,
  { everyMs, timeoutMs = Number.POSITIVE_INFINITY, signal }: PollOptions,
): Promise<Found<T> | null> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    signal?.throwIfAborted();
    const left = deadline - performance.now();
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found as Found<T>;
    if (left <= 0) return null;
    await pause(Math.min(everyMs, left), signal);
  }
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
