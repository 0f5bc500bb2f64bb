import type { TraceCall } from './trace-reader.ts';
import type { TracedStream } from './traced-stream.ts';
import { firstBytes, requestedBytes } from './written-bytes.ts';

/**
 * The recorded bytes of a stream from `offset` on: at most `length`, fewer at the current end of the recording, null
 * beyond it. Called a few times per write, for recent bytes: it must be fast.
 */
export type Peek = (stream: TracedStream, offset: number, length: number) => Uint8Array | null;

/** One of the writes to a stream that wait for their position. */
export interface Contender {
  readonly call: TraceCall;
  /**
   * Positions among the starts and ends that the tracer saw; `end` is infinite while the write is pending or if it was
   * cut.
   */
  start: number;
  end: number;
  /** How many bytes it wrote; known once it has ended. */
  count: number;
  /** Its process was killed in it, at `diedAt`: it is unknown how much it wrote. */
  isCut: boolean;
  diedAt: number;
  /** Recorded bytes before it that belong to no write, such as echoed input. */
  gap: number;
  /** The recorded bytes contradict its position, and show no better one. */
  isUncertain: boolean;
  /** Its first bytes, as far as the trace shows them; decoded on first use. */
  sample: Uint8Array | null;
}

export interface ChooseOptions {
  /** Recorded bytes, relative to the position to be assigned. */
  peek(from: number, length: number): Uint8Array | null;
  /** Nothing more will be recorded: decide now. */
  isFinal: boolean;
  /** How far ahead to search for misplaced bytes. */
  reach: number;
}

// How many writes ahead are tried if several begin alike.
const LOOKAHEAD = 4;
// This many matching bytes further on are not a coincidence.
const SURE_BYTES = 4;
const NOTHING = new Uint8Array();

/** The first of the writes to one stream, given in order of start; null if that cannot be determined yet. */
export function chooseFirst<Write extends Contender>(writes: Write[], options: ChooseOptions): Write | null {
  const contenders = unpreceded(writes);
  const ended = contenders.filter(hasEnded).sort((one, other) => one.end - other.end);
  const [firstEnded] = ended;
  if (!firstEnded) return null;
  // Results of an earlier call may no longer hold.
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
    // Only a pending write matches: it came first, and its length is not known yet.
    if (possible.length > 0 && !options.isFinal) return null;
    return findAhead(ended, options);
  }
  const isOpen = possible.some((write) => !write.isCut && (!hasEnded(write) || fits(write, 0, options) === 'not yet'));
  if (isOpen && !options.isFinal) return null;
  if (possibleEnded.length === 1) return possibleEnded[0] as Write;
  // They begin alike. Take the one after which the others can follow; if all can, their bytes do not distinguish them.
  const near = writes.slice(0, contenders.length + LOOKAHEAD);
  const leading = possibleEnded.find((write) => canFollow(without(near, write), write.count, LOOKAHEAD, options));
  return leading ?? (possibleEnded[0] as Write);
}

/** Writes before which no other one had ended. */
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

/** Whether the write's first bytes match the recorded bytes `from` bytes ahead. */
export function fits(write: Contender, from: number, options: Pick<ChooseOptions, 'peek'>): 'yes' | 'no' | 'not yet' {
  const sample = sampleOf(write);
  const length = hasEnded(write) ? Math.min(sample.length, write.count) : sample.length;
  if (length === 0) return 'yes';
  const recorded = options.peek(from, length) ?? NOTHING;
  const known = Math.min(recorded.length, length);
  for (let at = 0; at < known; at++) if (recorded[at] !== sample[at]) return 'no';
  return known === length ? 'yes' : 'not yet';
}

/** Whether the next few writes can be placed from `from` on without contradicting the recorded bytes. */
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
 * How much the first of the cut writes (whose processes were killed in them) wrote: up to where the next write's bytes
 * begin; if that is further than it can reach, all of it, because then another cut write follows.
 */
function measureCut<Write extends Contender>(cut: Write[], following: Write[], options: ChooseOptions): Write | null {
  const [first] = cut as [Write];
  const reach = [...new Set(cut)].reduce((sum, write) => sum + requestedBytes(write.call), 0);
  const found = following.map((write) => distanceAhead(write, reach, options)).filter((distance) => distance !== null);
  if (found.length === 0) return findAhead(following, options);
  first.count = Math.min(requestedBytes(first.call), ...found);
  return first;
}

/** The write whose bytes come first further on, after bytes that belong to no write. */
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

/** Distance to the bytes of a write that ended; null if they do not begin within `limit` bytes. */
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
