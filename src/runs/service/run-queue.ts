interface Waiting {
  runId: string;
  priority: number;
  at: string;
}

/**
 * Runs that wait to be started: by priority, then in order of arrival. Kept in memory, derived from the run records.
 */
export class RunQueue {
  #waiting: Waiting[] = [];

  get length(): number {
    return this.#waiting.length;
  }

  add(run: Waiting): void {
    this.remove(run.runId);
    const at = this.#waiting.findIndex((other) => before(run, other));
    this.#waiting.splice(at < 0 ? this.#waiting.length : at, 0, run);
  }

  remove(runId: string): boolean {
    const at = this.#waiting.findIndex((run) => run.runId === runId);
    if (at >= 0) this.#waiting.splice(at, 1);
    return at >= 0;
  }

  take(): string | null {
    return this.#waiting.shift()?.runId ?? null;
  }

  /** 1 is next; null if not queued. */
  position(runId: string): number | null {
    const at = this.#waiting.findIndex((run) => run.runId === runId);
    return at < 0 ? null : at + 1;
  }
}

function before(one: Waiting, other: Waiting): boolean {
  return one.priority === other.priority ? one.at < other.at : one.priority > other.priority;
}
