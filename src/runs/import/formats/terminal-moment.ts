/** What happened at a terminal; times are microseconds since the beginning of the recording, and never go back. */
export type TerminalMoment =
  /** `side` is the stream; without one it is a terminal's only one. */
  | { kind: 'output'; time: number; bytes: Buffer; side?: 'a' | 'b' }
  | { kind: 'input'; time: number; bytes: Buffer }
  | { kind: 'resize'; time: number; cols: number; rows: number };

/** What a recording of a terminal says about itself. */
export interface TerminalHeader {
  /** Milliseconds since the epoch; null if it does not say. */
  startedAt: number | null;
  command: string | null;
  term: string;
  cols: number;
  rows: number;
}

/** What is wrong with a log whose rest can be read; each kind is reported once, with the first place. */
export interface Damage {
  problem: string;
  /** The first line or byte. */
  at: number;
  count: number;
}

/** Collects damage. */
export class DamageReport {
  readonly #found = new Map<string, Damage>();

  add(problem: string, at: number): void {
    const known = this.#found.get(problem);
    if (known) known.count++;
    else this.#found.set(problem, { problem, at, count: 1 });
  }

  get list(): Damage[] {
    return [...this.#found.values()];
  }
}

const MAX_SIZE = 0xffff;

/** Columns or rows; null if they are none. */
export function sizeOf(value: unknown): number | null {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) <= MAX_SIZE ? (value as number) : null;
}

/** The length of a recording, and the largest step in it, are bounded: a century holds every real one. */
const MAX_SECONDS = 100 * 365 * 86_400;
/** A recording that begins by then ends before the year 10000, which no timestamp can express. */
const LAST_START = Date.UTC(9800, 0);

/** Milliseconds since the epoch; null for what is not a time at which a recording can begin or end. */
export function dateOf(milliseconds: number): number | null {
  return milliseconds >= 0 && milliseconds <= LAST_START ? milliseconds : null;
}

/** Seconds as microseconds; null for what is not a time. */
export function microsOf(seconds: unknown): number | null {
  if (typeof seconds !== 'number' || !(seconds >= 0 && seconds <= MAX_SECONDS)) return null;
  return Math.round(seconds * 1e6);
}

/** Steps add up: what comes after a century comes at its end. */
export function* boundTimes(moments: Iterable<TerminalMoment>, damage: DamageReport): Generator<TerminalMoment> {
  const end = MAX_SECONDS * 1e6;
  for (const moment of moments) {
    if (moment.time > end) damage.add('longer than a century', end);
    yield { ...moment, time: Math.min(moment.time, end) };
  }
}
