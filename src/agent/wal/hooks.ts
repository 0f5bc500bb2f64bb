import type { AgentEvent } from '../../protocol/index.ts';

/** Gets events after they are in the log. It cannot delay or fail a run. */
export interface WalHook {
  name: string;
  onEvents(events: readonly AgentEvent[], locator: string): unknown;
}

export interface HookProblem {
  hook: string;
  problem: 'threw' | 'timed_out';
  error: unknown;
}

export interface HookOptions {
  hooks: readonly WalHook[];
  /** How long one call may take. */
  timeoutMs: number;
  /** Called once for each hook that has a problem. */
  report: (problem: HookProblem) => void;
  locator: string;
}

/**
 * Calls hooks in their order and does not wait for them. One that throws is called again with the next events; one that
 * takes too long is not, because its unfinished calls would pile up.
 */
export class HookCaller {
  readonly #options: HookOptions;
  readonly #hooks: Set<WalHook>;
  readonly #reported = new Set<WalHook>();
  readonly #running = new Set<Promise<void>>();

  constructor(options: HookOptions) {
    this.#options = options;
    this.#hooks = new Set(options.hooks);
  }

  call(events: readonly AgentEvent[]): void {
    for (const hook of this.#hooks) {
      try {
        const answer = hook.onEvents(events, this.#options.locator);
        if (isThenable(answer)) this.#watch(hook, answer);
      } catch (error) {
        this.#report(hook, 'threw', error);
      }
    }
  }

  /** Resolves when the calls under way have ended, or had their time. */
  async finish(): Promise<void> {
    await Promise.all(this.#running);
  }

  #watch(hook: WalHook, answer: PromiseLike<unknown>): void {
    const { timeoutMs } = this.#options;
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.#hooks.delete(hook);
        this.#report(hook, 'timed_out', new Error(`the hook "${hook.name}" took longer than ${timeoutMs} ms`));
        resolve();
      }, timeoutMs);
    });
    const ended = Promise.resolve(answer).then(
      () => {},
      (error) => this.#report(hook, 'threw', error),
    );
    const call = Promise.race([ended, timeout]).finally(() => {
      clearTimeout(timer);
      this.#running.delete(call);
    });
    this.#running.add(call);
  }

  #report(hook: WalHook, problem: HookProblem['problem'], error: unknown): void {
    if (this.#reported.has(hook)) return;
    this.#reported.add(hook);
    try {
      this.#options.report({ hook: hook.name, problem, error });
    } catch {
      // Whoever is told has no say in the run either.
    }
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function';
}
