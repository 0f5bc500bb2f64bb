export interface BackoffOptions {
  firstMs: number;
  lastMs: number;
}

export interface Backoff {
  /** The delay before the next retry: longer each time, with jitter. */
  next(): number;
  /** Call it after a success. */
  reset(): void;
}

export function createBackoff({ firstMs, lastMs }: BackoffOptions): Backoff {
  let ceiling = firstMs;
  return {
    next() {
      const delay = ceiling * (0.5 + Math.random() / 2);
      ceiling = Math.min(lastMs, ceiling * 2);
      return Math.round(delay);
    },
    reset() {
      ceiling = firstMs;
    },
  };
}

/** Waits; resolves at once when the signal aborts, which is not an error here. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}
