import type { TimingAnswer } from '../../../src/client/index.ts';
import { attemptFileNames, TachoError } from '../../../src/protocol/index.ts';
import {
  CHUNK_RECORD_BYTES,
  type Chunk,
  chunkCount,
  decodeChunks,
  isChunkHeader,
} from '../../model/terminal/chunk-index.ts';
import { readBytes } from './blob-bytes.ts';
import type { RecordFiles } from './record-files.ts';

const MOST_CHUNKS = 10_000;
const HEADER_SEARCH_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;

/** How the two terminals of an attempt stand in its files. */
interface Layout {
  /** Stdout and stderr apart; otherwise everything came through one terminal and is in `pty`. */
  split: boolean;
  /** Bytes before the output in the merged log; null when there is none. */
  header: number | null;
}

/** When which bytes of an attempt were read; offsets are those that events point at. */
export async function readTiming(files: RecordFiles, attempt: number, cursor: number): Promise<TimingAnswer> {
  const names = attemptFileNames(attempt);
  const index = await files.audit(names.chunks);
  if (index === null) {
    throw new TachoError('ATTEMPT_NOT_FOUND', `attempt ${attempt} has no times of its bytes`, { facts: { attempt } });
  }
  if (!isChunkHeader(await readBytes(index, 0, CHUNK_RECORD_BYTES))) {
    throw new TachoError('FORMAT_TOO_NEW', `${names.chunks} is not an index of chunks that this page can read`);
  }
  const layout = await layoutOf(files, attempt);
  const total = chunkCount(index.size);
  const [first = null] = await readChunks(index, 0, Math.min(1, total));
  const [last = null] = await readChunks(index, Math.max(0, total - 1), total);
  const next = Math.min(total, cursor + MOST_CHUNKS);
  const listed = await readChunks(index, Math.min(cursor, total), next);
  return {
    first_ts: first && timestamp(first.time),
    last_ts: last && timestamp(last.time),
    bytes: endsOf(last, layout),
    at: null,
    chunks: listed.map((chunk) => describe(chunk, first!.time, layout)),
    next_cursor: next < total ? next : null,
    total,
  };
}

async function readChunks(index: Blob, from: number, to: number): Promise<Chunk[]> {
  return decodeChunks(await readBytes(index, (from + 1) * CHUNK_RECORD_BYTES, (to + 1) * CHUNK_RECORD_BYTES));
}

async function layoutOf(files: RecordFiles, attempt: number): Promise<Layout> {
  const names = attemptFileNames(attempt);
  const pty = await files.audit(names.pty);
  const start = pty === null ? null : await readBytes(pty, 0, HEADER_SEARCH_BYTES);
  const end = start?.indexOf(LINE_FEED) ?? -1;
  return { split: files.has(names.stdout), header: start && (end < 0 ? start.length : end + 1) };
}

/** Where each stream stood after a chunk; null stands for the beginning. */
function endsOf(chunk: Chunk | null, { split, header }: Layout): Record<string, number> {
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
