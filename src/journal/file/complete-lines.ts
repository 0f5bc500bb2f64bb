import type { FileHandle } from 'node:fs/promises';

export interface Line {
  byteFrom: number;
  /** After the line feed. */
  byteTo: number;
  /** Without the line feed. Stays valid: no buffer is used twice. */
  bytes: Buffer;
}

/** Small at first, for who wants one line; larger with every chunk, for who reads on. */
const FIRST_CHUNK_BYTES = 64 * 1024;
const LARGEST_CHUNK_BYTES = 512 * 1024;
const LINE_FEED = 0x0a;

/** The complete lines between two offsets, a chunk's worth at a time. A last line without its line feed is left out. */
export async function* completeLines(
  handle: FileHandle,
  byteFrom: number,
  byteTo = Number.POSITIVE_INFINITY,
): AsyncGenerator<Line[], void, undefined> {
  // Read into again and again: whoever follows a log reads little each time, and must not leave large buffers behind.
  let chunk = Buffer.allocUnsafeSlow(FIRST_CHUNK_BYTES);
  /** Bytes at the beginning of the chunk that were read before; they end with no line feed. */
  let kept = 0;
  let readTo = byteFrom;
  while (readTo < byteTo) {
    const wanted = Math.min(chunk.length - kept, byteTo - readTo);
    const { bytesRead } = await handle.read(chunk, kept, wanted, readTo);
    if (bytesRead === 0) return;
    const filled = chunk.subarray(0, kept + bytesRead);
    const lineFeed = filled.subarray(kept).lastIndexOf(LINE_FEED);
    const whole = lineFeed < 0 ? 0 : kept + lineFeed + 1;
    const lines = linesOf(Buffer.from(filled.subarray(0, whole)), readTo - kept);
    readTo += bytesRead;
    kept = filled.length - whole;
    chunk = next(filled, whole, bytesRead === wanted ? chunk.length * 2 : chunk.length);
    if (lines.length > 0) yield lines;
  }

  /** The rest at the beginning of a chunk that has room for more; grown for a line of many chunks, too. */
  function next(filled: Buffer, from: number, size: number): typeof chunk {
    const room = Math.max(Math.min(size, LARGEST_CHUNK_BYTES), (filled.length - from) * 2);
    const target = room > chunk.length ? Buffer.allocUnsafeSlow(room) : chunk;
    filled.copy(target, 0, from);
    return target;
  }
}

function linesOf(bytes: Buffer, byteFrom: number): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, start);
    lines.push({ byteFrom: byteFrom + start, byteTo: byteFrom + end + 1, bytes: bytes.subarray(start, end) });
    start = end + 1;
  }
  return lines;
}
