import { attemptFileNames, type RawStream, TachoError, type TimingAnswer } from '../protocol/index.ts';
import { ChunkIndex, ptyHeaderBytes, type RunFolder, readRunRecord } from '../recording/index.ts';
import { recordFile } from './locate-run.ts';

type Chunk = ReturnType<ChunkIndex['at']>;
type Question = { stream?: RawStream | undefined; byte?: number | undefined; ts?: string | undefined };

/** When which bytes of an attempt were read, in both directions; offsets are those that events point at. */
export function byteTimes(
  folder: RunFolder,
  attempt: number,
  { cursor, limit, ...question }: Question & { cursor: number; limit: number },
): TimingAnswer {
  const names = attemptFileNames(attempt);
  const file = recordFile(folder, names.chunks);
  if (file === null) {
    if (isUnderWay(folder, attempt)) return nothingYet(folder, attempt);
    throw new TachoError('ATTEMPT_NOT_FOUND', `attempt ${attempt} of ${folder.runId} has no times of its bytes`, {
      facts: { attempt },
    });
  }
  const index = ChunkIndex.open(file);
  try {
    const pty = recordFile(folder, names.pty);
    const layout: Layout = {
      split: recordFile(folder, names.stdout) !== null,
      header: pty === null ? null : ptyHeaderBytes(pty),
    };
    const { length } = index;
    const first = length > 0 ? index.at(0) : null;
    const last = length > 0 ? index.at(length - 1) : null;
    const listed = [...take(index.chunks(Math.min(cursor, length)), limit)];
    const next = cursor + listed.length;
    return {
      run_id: folder.runId,
      attempt,
      first_ts: first && timestamp(first.time),
      last_ts: last && timestamp(last.time),
      bytes: ends(last, layout),
      at: answer(index, layout, question),
      chunks: listed.map((chunk) => describe(chunk, first!.time, layout)),
      next_cursor: limit > 0 && next < length ? next : null,
      total: length,
    };
  } finally {
    index.close();
  }
}

/** Who follows a run hears of an attempt a moment before its files are there. */
function isUnderWay(folder: RunFolder, attempt: number): boolean {
  const { status, attempt: current, live } = readRunRecord(folder);
  return live === null ? status === 'queued' && attempt === current + 1 : attempt === current;
}

function nothingYet({ runId }: RunFolder, attempt: number): TimingAnswer {
  const times = { first_ts: null, last_ts: null, bytes: {}, at: null };
  return { run_id: runId, attempt, ...times, chunks: [], next_cursor: null, total: 0 };
}

/** How the two terminals of an attempt stand in its files. */
interface Layout {
  /** Stdout and stderr apart; otherwise everything came through one terminal and is in `pty`. */
  split: boolean;
  /** Bytes before the output in the merged log; null when there is none. */
  header: number | null;
}

function answer(index: ChunkIndex, layout: Layout, { stream, byte, ts }: Question): TimingAnswer['at'] {
  if (ts !== undefined) {
    const position = firstWhere(index, ({ time }) => time > Date.parse(ts) * 1000);
    return { ts: new Date(ts).toISOString(), bytes: ends(position === 0 ? null : index.at(position - 1), layout) };
  }
  if (byte === undefined) return null;
  if (stream === undefined || !(stream in ends(null, layout))) {
    throw new TachoError('INVALID_REQUEST', `byte ${byte} of which stream?`, {
      fix: `Give stream: ${Object.keys(ends(null, layout)).join(', ')}.`,
    });
  }
  const position = firstWhere(index, (chunk) => ends(chunk, layout)[stream]! > byte);
  if (position >= index.length) return { ts: null, bytes: {} };
  const chunk = index.at(position);
  return { ts: timestamp(chunk.time), bytes: ends(chunk, layout) };
}

/** Where each stream stood after a chunk; null stands for the beginning. */
function ends(chunk: Chunk | null, { split, header }: Layout): Partial<Record<RawStream, number>> {
  const { input, a, b } = chunk?.ends ?? { input: 0, a: 0, b: 0 };
  return {
    stdin: input,
    ...(split ? { stdout: a, stderr: b } : {}),
    ...(header === null ? {} : { pty: header + a + b }),
  };
}

function describe(chunk: Chunk, start: number, layout: Layout): TimingAnswer['chunks'][number] {
  const { source, length } = chunk;
  const time_us = chunk.time - start;
  if (source === 'resize') {
    return { time_us, stream: null, byte_from: null, byte_to: null, cols: length >>> 16, rows: length & 0xffff };
  }
  const output = layout.split ? (source === 'a' ? 'stdout' : 'stderr') : 'pty';
  const stream = source === 'input' ? 'stdin' : output;
  const to = ends(chunk, layout)[stream] ?? 0;
  return { time_us, stream, byte_from: to - length, byte_to: to };
}

/** Binary search: every condition used here, once true, stays true. */
function firstWhere(index: ChunkIndex, condition: (chunk: Chunk) => boolean): number {
  let low = 0;
  let high = index.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (condition(index.at(middle))) high = middle;
    else low = middle + 1;
  }
  return low;
}

function* take<T>(items: Iterable<T>, most: number): Generator<T> {
  if (most === 0) return;
  let taken = 0;
  for (const item of items) {
    yield item;
    if (++taken >= most) return;
  }
}

function timestamp(micros: number): string {
  return new Date(micros / 1000).toISOString();
}
