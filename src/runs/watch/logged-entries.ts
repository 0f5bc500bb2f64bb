import { EntryCounts } from './entry-counts.ts';

/**
 * Which lines of an agent's log a run has. They are numbered and never change, so the last number is enough, whoever
 * recorded them: a watch, an import, or the run of an engine, which printed those of its child agents too.
 */
export class LoggedEntries extends EntryCounts {
  readonly #before: string;
  #last = 0;

  constructor(runId: string) {
    super();
    this.#before = `${runId}.`;
  }

  override get isEmpty(): boolean {
    return false;
  }

  override add(key: string): void {
    const seq = this.#seqOf(key);
    if (seq === null) super.add(key);
    else this.#last = Math.max(this.#last, seq);
  }

  override take(key: string): boolean {
    const seq = this.#seqOf(key);
    // What is not a line of the log was damaged, and is known by its content.
    if (seq === null) return super.take(key);
    if (seq <= this.#last) return true;
    this.#last = seq;
    return false;
  }

  #seqOf(key: string): number | null {
    if (!key.startsWith(this.#before)) return null;
    const seq = Number(key.slice(this.#before.length));
    return Number.isSafeInteger(seq) && seq > 0 ? seq : null;
  }
}
