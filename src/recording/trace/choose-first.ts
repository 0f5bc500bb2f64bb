import type { TraceCall } from './trace-reader.ts';
import type { TracedStream } from './traced-stream.ts';
import { firstBytes, requestedBytes } from './written-bytes.ts';

/**
 * The recorded bytes of a stream from `offset` on: at most `length`, fewer where the recording ends for now, null
 * where it has not come that far. Asked a few times for each write, for recent bytes: it must be quick.
 */
export type Peek = (stream: TracedStream, offset: number, length: number) => Uint8Array | null;

/** One of the writes to a stream that wait for their place. */
export interface Contender {
  readonly call: TraceCall;
  /** Places among the starts and ends the tracer saw; `end` is infinite while it is under way or when it was cut. */
  start: number;
  end: number;
  /** How many bytes it wrote; known once it has ended. */
  count: number;
  /** Its process was killed inside it, at `diedAt`: nobody says how much it wrote. */
  isCut: boolean;
  diedAt: number;
  /** Recorded bytes before its own that no write accounts for, such as echoed input. */
  gap: number;
  /** The recorded bytes contradict its place, and show no better one. */
  isUncertain: boolean;
  /** The bytes it begins with, as far as the trace shows them; decoded when first needed. */
  sample: Uint8Array | null;
}

export interface ChooseOptions {
  /** Recorded bytes, counted from the place to be given away. */
  peek(from: number, length: number): Uint8Array | null;
  /** Nothing more will be recorded: decide now. */
  isFinal: boolean;
  /** How far on to look for bytes that are not where they should be. */
  reach: number;
}

// How many writes ahead are tried when several begin alike.
const LOOKAHEAD = 4;
// So many bytes found further on are no accident.
const SURE_BYTES = 4;
const NOTHING = new Uint8Array();

/** Of the writes to one stream, in order of start, the one that came first; null when that cannot be known yet. */
export function chooseFirst<Write extends Contender>(writes: Write[], options: ChooseOptions): Write | null {
  const contenders = unpreceded(writes);
  const ended = contenders.filter(hasEnded).sort((one, other) => one.end - other.end);
  const [firstEnded] = ended;
  if (!firstEnded) return null;
  // What an earlier look found may not hold any more.
  for (const write of ended) {
    write.gap = 0;
    write.isUncertain = false;
  }
  if (contenders.length === 1 && fits(firstEnded, 0, options) === 'yes') return firstEnded;
  const possible = contenders.filter((write) => fits(write, 0, options) !== 'no');
  const possibleEnded = ended.filter((write) => possible.includes(write));
  if (possibleEnded.length === 0) {
    const cut = possible.filter(({ isCut }) => isCut);
    if (cut.length > 0) return measureCut([...cut, ...contenders.filter(({ isCut }) => isCut)], ended, options);
    // Only one that is still under way fits: it came first, and how long it is has yet to be told.
    if (possible.length > 0 && !options.isFinal) return null;
    return findAhead(ended, options);
  }
  const isOpen = possible.some((write) => !write.isCut && (!hasEnded(write) || fits(write, 0, options) === 'not yet'));
  if (isOpen && !options.isFinal) return null;
  if (possibleEnded.length === 1) return possibleEnded[0] as Write;
  // They begin alike. Take the one after which the others can follow; if all can, their bytes do not tell them apart.
  const near = writes.slice(0, contenders.length + LOOKAHEAD);
  const leading = possibleEnded.find((write) => canFollow(without(near, write), write.count, LOOKAHEAD, options));
  return leading ?? (possibleEnded[0] as Write);
}

/** Those before which no other one of them had ended. */
function unpreceded<Write extends Contender>(writes: Write[]): Write[] {
  const free: Write[] = [];
  let firstEnd = Number.POSITIVE_INFINITY;
  for (const write of writes) {
    if (write.start > firstEnd) break;
    free.push(write);
    firstEnd = Math.min(firstEnd, write.end);
  }
  return free;
}

/** Whether the recorded bytes `from` bytes ahead are those the write begins with. */
export function fits(write: Contender, from: number, options: Pick<ChooseOptions, 'peek'>): 'yes' | 'no' | 'not yet' {
  const sample = sampleOf(write);
  const length = hasEnded(write) ? Math.min(sample.length, write.count) : sample.length;
  if (length === 0) return 'yes';
  const recorded = options.peek(from, length) ?? NOTHING;
  const known = Math.min(recorded.length, length);
  for (let at = 0; at < known; at++) if (recorded[at] !== sample[at]) return 'no';
  return known === length ? 'yes' : 'not yet';
}

/** Whether the next few writes can be laid out from `from` on without contradicting the recorded bytes. */
function canFollow<Write extends Contender>(
  writes: Write[],
  from: number,
  depth: number,
  options: ChooseOptions,
): boolean {
  if (depth === 0) return true;
  const contenders = unpreceded(writes).filter(({ isCut }) => !isCut);
  if (contenders.length === 0) return true;
  return contenders.some((write, index) => {
    const isTried = contenders.slice(0, index).some((other) => isSame(other, write));
    if (isTried || fits(write, from, options) === 'no') return false;
    return !hasEnded(write) || canFollow(without(writes, write), from + write.count, depth - 1, options);
  });
}

/**
 * How much the first of the writes wrote whose processes were killed inside them: up to where the next write's bytes
 * begin, and if those are further on than it can reach, all of it, for then another of them follows.
 */
function measureCut<Write extends Contender>(cut: Write[], following: Write[], options: ChooseOptions): Write | null {
  const [first] = cut as [Write];
  const reach = [...new Set(cut)].reduce((sum, write) => sum + requestedBytes(write.call), 0);
  const found = following.map((write) => distanceAhead(write, reach, options)).filter((distance) => distance !== null);
  if (found.length === 0) return findAhead(following, options);
  first.count = Math.min(requestedBytes(first.call), ...found);
  return first;
}

/** The one whose bytes come first further on, behind bytes that no write accounts for. */
function findAhead<Write extends Contender>(ended: Write[], options: ChooseOptions): Write | null {
  const sure = ended.filter((write) => Math.min(sampleOf(write).length, write.count) >= SURE_BYTES);
  if (options.reach > 0) {
    const found = sure.flatMap((write) => {
      const distance = distanceAhead(write, options.reach, options);
      return distance === null ? [] : [{ write, distance }];
    });
    const [nearest] = found.sort((one, other) => one.distance - other.distance);
    if (nearest) {
      nearest.write.gap = nearest.distance;
      return nearest.write;
    }
    const mayStillCome = sure.length > 0 && !options.peek(options.reach - 1, 1)?.length;
    if (mayStillCome && !options.isFinal) return null;
  }
  const first = ended[0] as Write;
  first.isUncertain = true;
  return first;
}

/** Where, from one byte on, the bytes of a write that ended begin; null when they do not within `limit` bytes. */
function distanceAhead(write: Contender, limit: number, options: ChooseOptions): number | null {
  const sample = sampleOf(write).subarray(0, write.count);
  const recorded = options.peek(0, limit + sample.length);
  if (sample.length === 0 || recorded === null) return null;
  const at = Buffer.from(recorded.buffer, recorded.byteOffset, recorded.byteLength).indexOf(sample, 1);
  return at > 0 ? at : null;
}

function sampleOf(write: Contender): Uint8Array {
  write.sample ??= firstBytes(write.call);
  return write.sample;
}

function hasEnded(write: Contender): boolean {
  return write.end < Number.POSITIVE_INFINITY;
}

function isSame(one: Contender, other: Contender): boolean {
  return hasEnded(one) && one.count === other.count && Buffer.compare(sampleOf(one), sampleOf(other)) === 0;
}

function without<Write>(writes: Write[], write: Write): Write[] {
  return writes.filter((other) => other !== write);
}
