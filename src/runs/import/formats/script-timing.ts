import { linesOf } from '../lines.ts';
import { DamageReport, microsOf, sizeOf, type TerminalMoment } from './terminal-moment.ts';

/** One step of a timing file: what came, and how many microseconds after the one before. */
export type TimingStep =
  | { kind: 'output' | 'input'; after: number; length: number }
  | { kind: 'resize'; after: number; cols: number; rows: number };

const CLASSIC = /^(\d+(?:[.,]\d+)?) (\d+)$/;
const ADVANCED = /^([IOSH]) (\d+(?:[.,]\d+)?) (.*)$/;
const RESIZE = /^SIGWINCH ROWS=(\d+) COLS=(\d+)/;

export interface TimingReading {
  steps: Generator<TimingStep>;
  damage: DamageReport;
  /** From its header lines, as far as they were read. */
  facts: Record<string, string>;
}

/** A timing file of `script`, in either of its formats. */
export function readTiming(pieces: Iterable<Buffer>): TimingReading {
  const damage = new DamageReport();
  const facts: Record<string, string> = {};

  function* read(): Generator<TimingStep> {
    for (const { text, number } of linesOf(pieces, 64 * 1024)) {
      if (text === '') continue;
      const step = text === null ? null : stepOf(text, facts);
      if (step === null) damage.add('not a time', number);
      else if (step !== 'fact') yield step;
    }
  }

  return { steps: read(), damage, facts };
}

function stepOf(text: string, facts: Record<string, string>): TimingStep | 'fact' | null {
  const classic = CLASSIC.exec(text);
  const [, kind = 'O', seconds = '', rest = ''] = classic
    ? ['', 'O', classic[1], classic[2]]
    : (ADVANCED.exec(text) ?? []);
  const after = microsOf(seconds === '' ? null : Number(seconds.replace(',', '.')));
  if (after === null) return null;
  if (kind === 'H') {
    const [name = '', value = ''] = rest.split(/ (.*)/s);
    facts[name] = value;
    return 'fact';
  }
  if (kind === 'S') {
    const [, rows, cols] = RESIZE.exec(rest) ?? [];
    const size = { cols: sizeOf(Number(cols)), rows: sizeOf(Number(rows)) };
    // Signals other than a new size do not show on a screen; their time counts.
    return size.cols && size.rows
      ? { kind: 'resize', after, cols: size.cols, rows: size.rows }
      : { kind: 'output', after, length: 0 };
  }
  const length = /^\d{1,15}$/.test(rest) ? Number(rest) : null;
  return length === null ? null : { kind: kind === 'I' ? 'input' : 'output', after, length };
}

/** Cuts the logs of a terminal into moments, by a timing file. What the timing does not cover comes at the end. */
export function* timedMoments(
  steps: Iterable<TimingStep>,
  logs: { output: ByteReader; input: ByteReader | null },
  damage: DamageReport,
): Generator<TerminalMoment> {
  let time = 0;
  for (const step of steps) {
    time += step.after;
    if (step.kind === 'resize') {
      yield { kind: 'resize', time, cols: step.cols, rows: step.rows };
      continue;
    }
    const log = step.kind === 'output' ? logs.output : logs.input;
    let left = log ? step.length : 0;
    while (left > 0) {
      const bytes = log!.take(left);
      if (bytes.length === 0) break;
      left -= bytes.length;
      yield { kind: step.kind, time, bytes };
    }
    if (left > 0) damage.add(`the timing is of more ${step.kind} than there is`, time);
  }
  for (const kind of ['output', 'input'] as const) {
    for (let bytes = logs[kind]?.take(); bytes && bytes.length > 0; bytes = logs[kind]?.take()) {
      damage.add(`the timing is of less ${kind} than there is`, time);
      yield { kind, time, bytes };
    }
  }
}

/** The bytes of a log in any portions. */
export class ByteReader {
  readonly #pieces: Iterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(pieces: Iterable<Buffer>) {
    this.#pieces = pieces[Symbol.iterator]();
  }

  /** The next bytes, at most `length`; none at the end. Valid until the next call. */
  take(length = Number.POSITIVE_INFINITY): Buffer {
    if (this.#rest.length === 0) {
      const { value, done } = this.#pieces.next();
      if (done) return Buffer.alloc(0);
      this.#rest = value;
    }
    const taken = this.#rest.subarray(0, Math.min(length, this.#rest.length));
    this.#rest = this.#rest.subarray(taken.length);
    return taken;
  }
}
