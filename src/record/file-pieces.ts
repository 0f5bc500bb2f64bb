import type { RecordFile } from './record-files.ts';

const PIECE_BYTES = 1024 * 1024;
/** Maximum length of a line of a record, so that bytes without a line feed cannot fill the memory. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;
const LINE_FEED = 0x0a;

/** The bytes of a range in pieces; each piece is valid until the next one is read. */
export async function* pieces(
  file: RecordFile,
  from = 0,
  to = file.size,
  pieceBytes = PIECE_BYTES,
): AsyncGenerator<{ at: number; bytes: Uint8Array }> {
  const buffer = new Uint8Array(Math.min(pieceBytes, Math.max(1, to - from)));
  for (let at = from; at < to; ) {
    const bytes = await file.read(at, Math.min(to, at + buffer.length), buffer);
    if (bytes.length === 0) return;
    yield { at, bytes };
    at += bytes.length;
  }
}

export interface FileLine {
  /** From 1. */
  line: number;
  byteFrom: number;
  /** After the line feed. */
  byteTo: number;
  /** Without the line feed. */
  bytes: Uint8Array;
  /** False for a last line that has no line feed. */
  complete: boolean;
}

/** The lines of a file, many at a time. */
export async function* linesOf(file: RecordFile, to = file.size): AsyncGenerator<FileLine[]> {
  /** The beginning of a line whose end was not found yet, in parts. */
  let rest: Uint8Array[] = [];
  let restBytes = 0;
  let line = 0;
  let readTo = 0;
  for await (const { at, bytes: piece } of pieces(file, 0, to)) {
    readTo = at + piece.length;
    if (piece.indexOf(LINE_FEED) < 0) {
      rest.push(piece.slice());
      restBytes += piece.length;
      if (restBytes > MAX_LINE_BYTES) break;
      continue;
    }
    const joined = joinBytes([...rest, piece]);
    const joinedAt = at - restBytes;
    const lines: FileLine[] = [];
    let start = 0;
    for (let end = joined.indexOf(LINE_FEED, restBytes); end >= 0; end = joined.indexOf(LINE_FEED, start)) {
      line++;
      const bytes = joined.subarray(start, end);
      lines.push({ line, byteFrom: joinedAt + start, byteTo: joinedAt + end + 1, bytes, complete: true });
      start = end + 1;
    }
    rest = start < joined.length ? [joined.slice(start)] : [];
    restBytes = joined.length - start;
    yield lines;
  }
  if (restBytes === 0) return;
  const bytes = joinBytes(rest);
  yield [{ line: line + 1, byteFrom: readTo - restBytes, byteTo: readTo, bytes, complete: false }];
}

/** A small file as text; null if it has more than `maxBytes`. */
export async function readText(file: RecordFile, maxBytes: number): Promise<string | null> {
  if (file.size > maxBytes) return null;
  return new TextDecoder().decode(await file.read(0, file.size));
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
