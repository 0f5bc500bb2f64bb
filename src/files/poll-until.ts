import { setTimeout as sleep } from 'node:timers/promises';

export interface PollOptions {
  everyMs: number;
  /** Without it, polls until there is something or the signal aborts. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /**
   * Tells when it is worth looking again, so that `everyMs` is only the net under it. Started once the first look has
   * found nothing.
   */
  watch?: ((changed: () => void) => { stop(): void }) | undefined;
}

type Found<T> = Exclude<T, null | undefined | false>;

/**
 * Calls `look` until it returns something other than null, undefined and false, and returns that; null after the
 * timeout, with one last look at its end. Rejects when `look` throws, and with the signal's reason when it aborts.
 */
export async function pollUntil<T>(
  look: () => T | Promise<T>,
  { everyMs, timeoutMs = Number.POSITIVE_INFINITY, signal, watch }: PollOptions,
): Promise<Found<T> | null> {
  const deadline = performance.now() + timeoutMs;
  let changed = new AbortController();
  let watching: { stop(): void } | null = null;
  try {
    for (;;) {
      signal?.throwIfAborted();
      // Before the look: what changes during it is looked at again.
      changed = new AbortController();
      const left = deadline - performance.now();
      const found = await look();
      if (found !== null && found !== undefined && found !== false) return found as Found<T>;
      if (left <= 0) return null;
      // Changes before the watch began were not reported, so there is no pause after the first check.
      if (watch && !watching) watching = watch(() => changed.abort());
      else await pause(Math.min(everyMs, left), signal ? AbortSignal.any([signal, changed.signal]) : changed.signal);
    }
  } finally {
    watching?.stop();
  }
}

/** Ends early when the signal aborts. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
