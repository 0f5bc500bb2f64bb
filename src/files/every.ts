/** Work that is repeated until it is stopped. */
export interface Repeated {
  stop(): void;
}

export interface EveryOptions {
  /** Called for the first of several equal failures in a row, so that a lasting one does not fill a log. */
  onError: (error: unknown) => void;
  /** Whether the timer keeps the process alive (default: false). */
  ref?: boolean;
}

/**
 * Does the work every `ms`. A failure ends neither the process nor the repetition, and a round that is still running
 * is not joined by a second one.
 */
export function every(ms: number, work: () => void | Promise<void>, { onError, ref = false }: EveryOptions): Repeated {
  const guarded = guard(work, onError);
  const timer = setInterval(() => void guarded(), ms);
  if (!ref) timer.unref();
  return { stop: () => clearInterval(timer) };
}

/** The same guard for work that an event calls instead of a timer. */
export function guard(work: () => void | Promise<void>, onError: (error: unknown) => void): () => Promise<void> {
  let working = false;
  let reported: string | null = null;
  return async () => {
    if (working) return;
    working = true;
    try {
      await work();
      reported = null;
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      if (text !== reported) report(error, onError);
      reported = text;
    } finally {
      working = false;
    }
  };
}

function report(error: unknown, onError: (error: unknown) => void): void {
  try {
    onError(error);
  } catch {
    // There is no one left to report to.
  }
}
