/** Programs that draw everything again seldom have more. */
const MAX_LINES = 2000;

/** The last lines that were written, to recognize them when a program draws its whole screen again. */
export class LineHistory {
  readonly #lines: string[] = [];
  /** Where the next line is expected while a program draws again. */
  #expected: number | null = null;
  #wasNext = false;

  add(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length <= 2 * MAX_LINES) return;
    const removed = this.#lines.splice(0, MAX_LINES).length;
    if (this.#expected !== null) this.#expected = Math.max(0, this.#expected - removed);
  }

  get isAgain(): boolean {
    return this.#expected !== null;
  }

  beginAgain(): void {
    this.#expected = 0;
    this.#wasNext = false;
  }

  endAgain(): void {
    this.#expected = null;
  }

  /** Whether a drawn line was written before, after the one that was asked for before it. */
  hasNext(line: string): boolean {
    if (this.#expected === null) return false;
    if (line.trim() === '') return this.#wasNext;
    const found = this.#lines.indexOf(line, this.#expected);
    this.#wasNext = found >= 0;
    if (this.#wasNext) this.#expected = found + 1;
    return this.#wasNext;
  }
}
