import type { TraceCall } from './trace-reader.ts';
import type { TracedStream } from './traced-stream.ts';
import { firstBytes, requestedBytes } from './written-bytes.ts';

/**
 * The recorded bytes of a stream from `offset` on: at most `length`, fewer where the recording ends for now, null
 * where it has not come that far. Asked at least once for each write, mostly for its latest bytes: it must be quick.
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
  /** The bytes it begins with, as far as the trace shows them; decoded when first needed. */
  sample: Uint8Array | null;
}

/** What is known of a write when it starts. */
export function newContender(call: TraceCall): Contender {
  const never = Number.POSITIVE_INFINITY;
  return { call, start: 0, end: never, count: 0, isCut: false, diedAt: never, sample: null };
}

export interface ChooseOptions<Write> {
  /** Recorded bytes, counted from the place to be given away. */
  peek(from: number, length: number): Uint8Array | null;
  /** Nothing more will be recorded: decide now. */
  isFinal: boolean;
  /** Told when the bytes fit none of them. */
  undecided(chosen: Write): void;
}

// How many writes ahead are tried when several begin alike.
const LOOKAHEAD = 4;
// So many bytes found further on are no accident, and so far on they are looked for.
const SURE_BYTES = 4;
const WIDEST_GAP = 4096;
const NOTHING = new Uint8Array();

/** Of the writes to one stream, in order of start, the one that came first; null when that cannot be known yet. */
export function chooseFirst<Write extends Contender>(writes: Write[], options: ChooseOptions<Write>): Write | null {
  const contenders = unpreceded(writes);
  const ended = contenders.filter(hasEnded).sort((one, other) => one.end - other.end);
  const [firstEnded] = ended;
  if (!firstEnded) return null;
  if (contenders.length === 1) return firstEnded;

  const possible = contenders.filter((write) => fits(write, 0, options) !== 'no');
  const possibleEnded = ended.filter((write) => possible.includes(write));
  if (possibleEnded.length === 0) {
    const cut = possible.find(({ isCut }) => isCut);
    if (cut) return measureCut(cut, ended, options);
    // Only one that is still under way fits: it came first, and how long it is has yet to be told.
    if (possible.length > 0 && !options.isFinal) return null;
    const nearest = nearestAhead(ended, options);
    if (!nearest) options.undecided(firstEnded);
    return nearest ?? firstEnded;
  }
  if (possible.length === 1) return possibleEnded[0] as Write;
  const isOpen = possible.some((write) => !write.isCut && (!hasEnded(write) || fits(write, 0, options) === 'not yet'));
  if (isOpen && !options.isFinal) return null;
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
function fits<Write extends Contender>(
  write: Write,
  from: number,
  options: Pick<ChooseOptions<Write>, 'peek'>,
): 'yes' | 'no' | 'not yet' {
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
  options: ChooseOptions<Write>,
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

/** How much a write wrote whose process was killed inside it: up to where the next write's bytes begin. */
function measureCut<Write extends Contender>(
  cut: Write,
  following: Write[],
  options: ChooseOptions<Write>,
): Write | null {
  const requested = requestedBytes(cut.call);
  const found = following
    .map((write) => distanceAhead(write, requested, options))
    .filter((distance) => distance !== null);
  if (found.length > 0) {
    cut.count = Math.min(...found);
    return cut;
  }
  if (!options.isFinal) return null;
  options.undecided(following[0] as Write);
  return following[0] as Write;
}

/** The one whose bytes come first further on: bytes nobody wrote, such as echoed input, may stand in between. */
function nearestAhead<Write extends Contender>(writes: Write[], options: ChooseOptions<Write>): Write | null {
  let nearest: { write: Write; distance: number } | null = null;
  for (const write of writes) {
    const distance = gapBefore(write, options);
    if (distance !== null && distance < (nearest?.distance ?? Number.POSITIVE_INFINITY)) nearest = { write, distance };
  }
  return nearest?.write ?? null;
}

/**
 * How many recorded bytes to pass over so that the write stands where its bytes are: 0 when it fits or nothing speaks
 * against it, null when its bytes are not found nearby, or are too few to be sure.
 */
export function gapBefore<Write extends Contender>(
  write: Write,
  options: Pick<ChooseOptions<Write>, 'peek'>,
): number | null {
  if (fits(write, 0, options) !== 'no') return 0;
  return Math.min(sampleOf(write).length, write.count) < SURE_BYTES ? null : distanceAhead(write, WIDEST_GAP, options);
}

/** Where, from one byte on, the bytes of a write that ended begin; null when they do not within `limit` bytes. */
function distanceAhead<Write extends Contender>(
  write: Write,
  limit: number,
  options: Pick<ChooseOptions<Write>, 'peek'>,
): number | null {
  const sample = sampleOf(write).subarray(0, write.count);
  const recorded = options.peek(0, limit + sample.length);
  if (sample.length === 0 || recorded === null) return null;
  const at = Buffer.from(recorded.buffer, recorded.byteOffset, recorded.byteLength).indexOf(sample, 1);
  return at > 0 ? at : null;
}

export function sampleOf(write: Contender): Uint8Array {
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
