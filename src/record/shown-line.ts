import type { LinesAnswer } from '../protocol/index.ts';
import { pieces } from './file-pieces.ts';
import type { RecordFile } from './record-files.ts';

export type ShownLine = LinesAnswer['lines'][number];

const LINE_FEED = 0x0a;
/** Only part of a longer line is shown. */
const SHOWN_BYTES = 4096;
const STEP_BYTES = 16 * 1024;

/** Start of the line that contains the byte before `offset`, or that begins at `offset`. */
export async function lineStart(file: RecordFile, offset: number): Promise<number> {
  for (let to = offset; to > 0; ) {
    const from = Math.max(0, to - STEP_BYTES);
    const found = (await file.read(from, to)).lastIndexOf(LINE_FEED);
    if (found >= 0) return from + found + 1;
    to = from;
  }
  return 0;
}

/** Position of the line feed that ends the line with the byte at `offset`, or the end of the file. */
export async function lineEnd(file: RecordFile, offset: number): Promise<number> {
  for await (const { at, bytes } of pieces(file, offset, file.size, STEP_BYTES)) {
    const found = bytes.indexOf(LINE_FEED);
    if (found >= 0) return at + found;
  }
  return file.size;
}

/** Number of line ends between two offsets. */
export async function countLines(file: RecordFile, from: number, to: number): Promise<number> {
  let count = 0;
  for await (const { bytes } of pieces(file, from, to)) {
    for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) count++;
  }
  return count;
}

/** The line between two offsets; of a long one the part around `around`. */
export async function showLine(
  file: RecordFile,
  { line, from, to, around = from }: { line: number; from: number; to: number; around?: number },
): Promise<ShownLine> {
  const start = Math.max(from, Math.min(around - SHOWN_BYTES / 4, to - SHOWN_BYTES));
  const bytes = await file.read(start, Math.min(to, start + SHOWN_BYTES));
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes).replace(/\r$/, '');
  return { line, byte_from: from, byte_to: to, text, truncated: to - from > SHOWN_BYTES };
}
