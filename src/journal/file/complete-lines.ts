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
  let readTo = byteFrom;
  let rest = Buffer.alloc(0);
  let chunkBytes = FIRST_CHUNK_BYTES;
  while (readTo < byteTo) {
    // Growing with the rest keeps the copying linear for a line of many chunks.
    const wanted = Math.min(Math.max(chunkBytes, rest.length), byteTo - readTo);
    const buffer = Buffer.allocUnsafeSlow(rest.length + wanted);
    rest.copy(buffer);
    const { bytesRead } = await handle.read(buffer, rest.length, wanted, readTo);
    if (bytesRead === 0) return;
    const filled = buffer.subarray(0, rest.length + bytesRead);
    const filledFrom = readTo - rest.length;
    const lines: Line[] = [];
    let start = 0;
    for (let end = filled.indexOf(LINE_FEED, rest.length); end !== -1; end = filled.indexOf(LINE_FEED, start)) {
      lines.push({ byteFrom: filledFrom + start, byteTo: filledFrom + end + 1, bytes: filled.subarray(start, end) });
      start = end + 1;
    }
    readTo += bytesRead;
    chunkBytes = Math.min(chunkBytes * 2, LARGEST_CHUNK_BYTES);
    rest = filled.subarray(start);
    if (lines.length > 0) yield lines;
  }
}
