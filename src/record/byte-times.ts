import { attemptFileNames, type RawStream, TachoError, type TimingAnswer } from '../protocol/index.ts';
import { type Chunk, type ChunkIndex, openChunkIndex } from './chunk-index.ts';
import { readPtyHeaderLength } from './pty-header.ts';
import { type RecordFiles, withFile } from './record-files.ts';

type Question = { stream?: RawStream | undefined; byte?: number | undefined; ts?: string | undefined };

/**
 * When which bytes of an attempt were read, in both directions; offsets are those that events use. Null if the attempt
 * has no chunk index.
 */
export async function byteTimes(
  files: RecordFiles,
  attempt: number,
  { cursor, limit, ...question }: Question & { cursor: number; limit: number },
): Promise<TimingAnswer | null> {
  const { chunks: name } = attemptFileNames(attempt);
  return withFile(files, name, async (file) => {
    if (file === null) return null;
    const index = await openChunkIndex(file, name);
    const layout = await layoutOf(files, attempt);
    const { length } = index;
    const first = length > 0 ? await index.at(0) : null;
    const last = length > 0 ? await index.at(length - 1) : null;
    const listed = await index.read(cursor, cursor + limit);
    const next = cursor + listed.length;
    return {
      run_id: files.runId,
      attempt,
      first_ts: first && timestamp(first.time),
      last_ts: last && timestamp(last.time),
      bytes: endsOf(last, layout),
      at: await answer(index, layout, question),
      chunks: listed.map((chunk) => describe(chunk, first!.time, layout)),
      next_cursor: limit > 0 && next < length ? next : null,
      total: length,
    };
  });
}

/** How the two terminals of an attempt map to its files. */
interface Layout {
  /** Stdout and stderr are separate; otherwise everything came through one terminal and is in `pty`. */
  split: boolean;
  /** Bytes before the output in the merged log; null if there is none. */
  header: number | null;
}

async function layoutOf(files: RecordFiles, attempt: number): Promise<Layout> {
  const names = attemptFileNames(attempt);
  return {
    split: await withFile(files, names.stdout, async (file) => file !== null),
    header: await withFile(files, names.pty, async (file) => file && readPtyHeaderLength(file)),
  };
}

async function answer(index: ChunkIndex, layout: Layout, { stream, byte, ts }: Question): Promise<TimingAnswer['at']> {
  if (ts !== undefined) {
    const position = await index.firstWhere(({ time }) => time > Date.parse(ts) * 1000);
    const before = position === 0 ? null : await index.at(position - 1);
    return { ts: new Date(ts).toISOString(), bytes: endsOf(before, layout) };
  }
  if (byte === undefined) return null;
  if (stream === undefined || !(stream in endsOf(null, layout))) {
    throw new TachoError('INVALID_REQUEST', '`stream` is required with `byte`', {
      fix: `Give stream: ${Object.keys(endsOf(null, layout)).join(', ')}.`,
    });
  }
  const position = await index.firstWhere((chunk) => endsOf(chunk, layout)[stream]! > byte);
  if (position >= index.length) return { ts: null, bytes: {} };
  const chunk = await index.at(position);
  return { ts: timestamp(chunk.time), bytes: endsOf(chunk, layout) };
}

/** The end of each stream after a chunk; null means the beginning. */
function endsOf(chunk: Chunk | null, { split, header }: Layout): Partial<Record<RawStream, number>> {
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
  const to = endsOf(chunk, layout)[stream] ?? 0;
  return { time_us, stream, byte_from: to - length, byte_to: to };
}

function timestamp(micros: number): string {
  return new Date(micros / 1000).toISOString();
}
