/** Timers for longer fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface NextChange {
  /** Resolves with the first change since `next` was called, or after `ms`. Rejects with the reason of the signal. */
  orAfter(ms: number, signal: AbortSignal): Promise<void>;
  stop(): void;
}

/** Wakes whoever waits for something to change. */
export class Changes {
  readonly #listeners = new Set<() => void>();

  notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /** Listens from now on, so that nothing is missed between a look and the wait. */
  next(): NextChange {
    let wake = (): void => {};
    const changed = new Promise<void>((resolve) => {
      wake = resolve;
    });
    this.#listeners.add(wake);
    return {
      orAfter: async (ms, signal) => {
        let timer: NodeJS.Timeout | undefined;
        const timeout = new Promise<void>((resolve) => {
          if (ms <= MAX_TIMER_MS) timer = setTimeout(resolve, ms);
        });
        signal.addEventListener('abort', wake, { once: true });
        if (signal.aborted) wake();
        await Promise.race([changed, timeout]);
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        signal.throwIfAborted();
      },
      stop: () => {
        this.#listeners.delete(wake);
      },
    };
  }
}
