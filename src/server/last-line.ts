import type { FileHandle } from 'node:fs/promises';
import { openRegularHandle } from '../files/index.ts';
import { MAX_LINE_BYTES } from '../record/file-pieces.ts';

const PIECE_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;

/** The last whole line of a file, without its line feed; null when there is none. */
export async function readLastLine(file: string): Promise<Buffer | null> {
  let handle: FileHandle;
  try {
    handle = await openRegularHandle(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    const { size } = await handle.stat();
    let to: number | null = null;
    let tail = Buffer.alloc(0);
    for (let from = size; from > 0 && tail.length <= MAX_LINE_BYTES; ) {
      const length = Math.min(from, Math.max(PIECE_BYTES, tail.length));
      from -= length;
      tail = Buffer.concat([await readAll(handle, from, length), tail]);
      to ??= endOf(tail, from);
      if (to === null) continue;
      const end = to - from;
      const start = end === 0 ? -1 : tail.lastIndexOf(LINE_FEED, end - 1);
      if (start >= 0) return tail.subarray(start + 1, end);
      if (from === 0) return tail.subarray(0, end);
    }
    return null;
  } finally {
    await handle.close();
  }
}

/** Position of the last line feed in the file. */
function endOf(tail: Buffer, from: number): number | null {
  const end = tail.lastIndexOf(LINE_FEED);
  return end < 0 ? null : from + end;
}

async function readAll(handle: FileHandle, from: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  const { bytesRead } = await handle.read(buffer, 0, length, from);
  return buffer.subarray(0, bytesRead);
}
