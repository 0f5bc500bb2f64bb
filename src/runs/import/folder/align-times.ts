import { createHash, type Hash } from 'node:crypto';
import type { TimingStep } from '../formats/script-timing.ts';

/** A part of a stream, or of what was typed, and when it came; microseconds since the beginning. */
export type AlignedStep =
  | { kind: 'a' | 'b' | 'input'; time: number; length: number }
  | { kind: 'resize'; time: number; cols: number; rows: number };

export interface Alignment {
  /** Lines of the streams that the terminal did not show, or not in this order. */
  missing: number;
  /** Lines with an event that only the terminal showed. */
  extra: number;
}

/** A line is looked for among this many of each stream. */
const WINDOW = 64;
const [LINE_FEED, CARRIAGE_RETURN, BRACE] = [0x0a, 0x0d, 0x7b];

interface Logs {
  /** What the terminal showed, with the steps in which it came. */
  terminal: Iterable<Buffer>;
  steps: Iterable<TimingStep>;
  stdout: Iterable<Buffer>;
  stderr: Iterable<Buffer>;
}

/**
 * Gives the lines of two streams the times at which a terminal showed them. The terminal showed both in one, with
 * carriage returns, and possibly more, such as what was typed.
 */
export function* alignTimes({ terminal, steps, stdout, stderr }: Logs): Generator<AlignedStep, Alignment> {
  const streams = { a: new LineWindow(stdout), b: new LineWindow(stderr) };
  const shown = new ShownLines(terminal);
  const alignment: Alignment = { missing: 0, extra: 0 };
  let time = 0;
  for (const step of steps) {
    time += step.after;
    if (step.kind === 'resize') yield { kind: 'resize', time, cols: step.cols, rows: step.rows };
    else if (step.kind === 'input') yield { kind: 'input', time, length: step.length };
    else for (const line of shown.take(step.length)) yield* match(line);
  }
  for (const line of shown.take(Number.POSITIVE_INFINITY)) yield* match(line);
  for (const kind of ['a', 'b'] as const) {
    // A last line without an end is shown, but never completed.
    for (let line = streams[kind].at(0); line; line = streams[kind].at(0)) {
      if (line.ends) alignment.missing++;
      streams[kind].drop(1);
      yield { kind, time, length: line.length };
    }
  }
  return alignment;

  function* match(line: Line): Generator<AlignedStep> {
    for (let index = 0; index < WINDOW; index++) {
      for (const kind of ['a', 'b'] as const) {
        if (streams[kind].at(index)?.hash !== line.hash) continue;
        alignment.missing += index;
        yield { kind, time, length: streams[kind].drop(index + 1) };
        return;
      }
    }
    if (line.isObject) alignment.extra++;
  }
}

interface Line {
  /** Of its content, without carriage returns at its end. */
  hash: string;
  length: number;
  /** It begins like a JSON object. */
  isObject: boolean;
  ends: boolean;
}

/** Cuts bytes into lines without keeping them. */
class LineHasher {
  #hash: Hash = createHash('sha256');
  #length = 0;
  #returns = 0;
  #first = 0;

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** Takes bytes up to the end of a line. */
  add(bytes: Buffer): void {
    if (this.#length === 0) this.#first = bytes[0] ?? 0;
    this.#length += bytes.length;
    let end = bytes.length;
    while (end > 0 && (bytes[end - 1] === CARRIAGE_RETURN || bytes[end - 1] === LINE_FEED)) end--;
    if (end === 0) {
      this.#returns += bytes.length;
      return;
    }
    if (this.#returns > 0) this.#hash.update('\r'.repeat(this.#returns));
    this.#hash.update(bytes.subarray(0, end));
    this.#returns = bytes.length - end;
  }

  take(ends: boolean): Line {
    const line = { hash: this.#hash.digest('hex'), length: this.#length, isObject: this.#first === BRACE, ends };
    this.#hash = createHash('sha256');
    this.#length = 0;
    this.#returns = 0;
    return line;
  }
}

function* hashedLines(pieces: Iterable<Buffer>): Generator<Line> {
  const hasher = new LineHasher();
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; ) {
      const end = piece.indexOf(LINE_FEED, from);
      const to = end < 0 ? piece.length : end + 1;
      hasher.add(piece.subarray(from, to));
      if (end >= 0) yield hasher.take(true);
      from = to;
    }
  }
  if (!hasher.isEmpty) yield hasher.take(false);
}

/** The next lines of a stream. */
class LineWindow {
  readonly #lines: Iterator<Line>;
  #held: Line[] = [];

  constructor(pieces: Iterable<Buffer>) {
    this.#lines = hashedLines(pieces);
  }

  at(index: number): Line | undefined {
    while (this.#held.length <= index) {
      const { value, done } = this.#lines.next();
      if (done) return undefined;
      this.#held.push(value);
    }
    return this.#held[index];
  }

  /** Removes lines; returns their bytes. */
  drop(count: number): number {
    return this.#held.splice(0, count).reduce((sum, { length }) => sum + length, 0);
  }
}

/** The lines that a terminal showed, as they became complete. */
class ShownLines {
  readonly #pieces: Iterator<Buffer>;
  readonly #hasher = new LineHasher();
  #rest: Buffer = Buffer.alloc(0);

  constructor(pieces: Iterable<Buffer>) {
    this.#pieces = pieces[Symbol.iterator]();
  }

  /** The lines that end within the next `length` bytes. */
  *take(length: number): Generator<Line> {
    for (let left = length; left > 0; ) {
      if (this.#rest.length === 0) {
        const { value, done } = this.#pieces.next();
        if (done) return;
        this.#rest = value;
      }
      const end = this.#rest.indexOf(LINE_FEED);
      const size = Math.min(left, end < 0 ? this.#rest.length : end + 1);
      this.#hasher.add(this.#rest.subarray(0, size));
      const isWhole = end >= 0 && size === end + 1;
      this.#rest = this.#rest.subarray(size);
      left -= size;
      if (isWhole) yield this.#hasher.take(true);
    }
  }
}
