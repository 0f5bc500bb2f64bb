import type { FileHandle } from 'node:fs/promises';
import { MAX_LINE_BYTES } from '../../record/file-pieces.ts';
import type { ReadBuffer } from '../journal.ts';

export interface Line {
  byteFrom: number;
  /** After the line feed. */
  byteTo: number;
  /** Without the line feed. */
  bytes: Buffer;
}

interface LineScope {
  byteTo?: number | undefined;
  reuse?: ReadBuffer | undefined;
}

/** Small at first, for who wants one line; larger with every chunk, for who reads on. */
const FIRST_CHUNK_BYTES = 64 * 1024;
const LARGEST_CHUNK_BYTES = 256 * 1024;
const LINE_FEED = 0x0a;

/**
 * The complete lines between two offsets, a chunk's worth at a time. A last line without its line feed is left out, and so is all
 * from one on that is too long to be an event.
 */
export async function* completeLines(
  handle: FileHandle,
  byteFrom: number,
  { byteTo = Number.POSITIVE_INFINITY, reuse }: LineScope = {},
): AsyncGenerator<Line[], void, undefined> {
  // One that was made for a very long line is not kept for ordinary ones.
  const reusable = reuse?.bytes && reuse.bytes.length <= LARGEST_CHUNK_BYTES ? reuse.bytes : null;
  let chunk = reusable ?? Buffer.allocUnsafeSlow(FIRST_CHUNK_BYTES);
  if (reuse) reuse.bytes = chunk;
  /** Bytes at the beginning of the chunk that were read before; they end with no line feed. */
  let kept = 0;
  let readTo = byteFrom;
  while (readTo < byteTo) {
    const wanted = Math.min(chunk.length - kept, byteTo - readTo);
    const { bytesRead } = await handle.read(chunk, kept, wanted, readTo);
    if (bytesRead === 0) return;
    const filled = chunk.subarray(0, kept + bytesRead);
    const { lines, whole } = linesOf(filled, kept, readTo - kept);
    readTo += bytesRead;
    if (lines.length > 0) yield lines;
    kept = filled.length - whole;
    if (kept > MAX_LINE_BYTES) return;
    const larger = bytesRead === wanted ? Math.min(chunk.length * 2, LARGEST_CHUNK_BYTES) : 0;
    // At least twice the rest keeps the copying linear for a line of many chunks.
    const size = Math.max(Math.min(chunk.length, LARGEST_CHUNK_BYTES), larger, kept * 2);
    if (size !== chunk.length || (lines.length > 0 && !reuse)) chunk = Buffer.allocUnsafeSlow(size);
    if (reuse) reuse.bytes = chunk;
    filled.copy(chunk, 0, whole);
  }
}

/** `searchFrom`: there is no line feed before it. `whole`: where the last line ends. */
function linesOf(filled: Buffer, searchFrom: number, byteFrom: number): { lines: Line[]; whole: number } {
  const lines: Line[] = [];
  let start = 0;
  for (let end = filled.indexOf(LINE_FEED, searchFrom); end !== -1; end = filled.indexOf(LINE_FEED, start)) {
    lines.push({ byteFrom: byteFrom + start, byteTo: byteFrom + end + 1, bytes: filled.subarray(start, end) });
    start = end + 1;
  }
  return { lines, whole: start };
}
