import { pieces, type RawFile, readSpan } from './open-raw.ts';

const LINE_FEED = 0x0a;
/** Of a longer line only a part is shown. */
const SHOWN_BYTES = 4096;
const STEP_BYTES = 16 * 1024;

export interface ShownLine {
  line: number;
  byte_from: number;
  byte_to: number;
  text: string;
  truncated: boolean;
}

/** Where the line begins that the byte before `offset` is in, or that begins at `offset`. */
export async function lineStart(file: RawFile, offset: number): Promise<number> {
  for (let to = offset; to > 0; ) {
    const from = Math.max(0, to - STEP_BYTES);
    const found = (await readSpan(file, from, to)).lastIndexOf(LINE_FEED);
    if (found >= 0) return from + found + 1;
    to = from;
  }
  return 0;
}

/** Where the line feed of the line stands that the byte at `offset` is in, or the end of the file. */
export async function lineEnd(file: RawFile, offset: number): Promise<number> {
  for await (const { at, bytes } of pieces(file, offset, file.size, STEP_BYTES)) {
    const found = bytes.indexOf(LINE_FEED);
    if (found >= 0) return at + found;
  }
  return file.size;
}

export function countLineFeeds(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) count++;
  return count;
}

/** The line between two offsets; of a long one the part around `around`. */
export async function showLine(
  file: RawFile,
  { line, from, to, around = from }: { line: number; from: number; to: number; around?: number },
): Promise<ShownLine> {
  const start = Math.max(from, Math.min(around - SHOWN_BYTES / 4, to - SHOWN_BYTES));
  const bytes = await readSpan(file, start, Math.min(to, start + SHOWN_BYTES));
  return {
    line,
    byte_from: from,
    byte_to: to,
    text: bytes.toString('utf8').replace(/\r$/, ''),
    truncated: to - from > SHOWN_BYTES,
  };
}
