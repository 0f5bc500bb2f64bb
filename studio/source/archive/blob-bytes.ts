const PIECE_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;

export async function readBytes(blob: Blob, from: number, to: number): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await blob.slice(Math.max(0, from), Math.max(0, to)).arrayBuffer());
}

/** The bytes of a stretch, piece by piece. */
export async function* pieces(
  blob: Blob,
  from = 0,
  to = blob.size,
  pieceBytes = PIECE_BYTES,
): AsyncGenerator<{ at: number; bytes: Uint8Array<ArrayBuffer> }> {
  for (let at = from; at < to; at += pieceBytes) {
    yield { at, bytes: await readBytes(blob, at, Math.min(to, at + pieceBytes)) };
  }
}

export interface FileLine {
  /** From 1. */
  line: number;
  byteFrom: number;
  /** Without the line feed. */
  bytes: Uint8Array;
  /** False for a last line that has no line feed. */
  complete: boolean;
}

/** The lines of a file, many at a time. */
export async function* linesOf(blob: Blob, to = blob.size): AsyncGenerator<FileLine[]> {
  let rest = new Uint8Array(0);
  let line = 0;
  for await (const { at, bytes } of pieces(blob, 0, to)) {
    const joined = joinBytes(rest, bytes);
    const joinedAt = at - rest.length;
    const lines: FileLine[] = [];
    let start = 0;
    for (let end = joined.indexOf(LINE_FEED, rest.length); end >= 0; end = joined.indexOf(LINE_FEED, start)) {
      line++;
      lines.push({ line, byteFrom: joinedAt + start, bytes: joined.subarray(start, end), complete: true });
      start = end + 1;
    }
    rest = joined.slice(start);
    yield lines;
  }
  if (rest.length > 0) yield [{ line: line + 1, byteFrom: to - rest.length, bytes: rest, complete: false }];
}

export function joinBytes(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(one.length + other.length);
  joined.set(one);
  joined.set(other, one.length);
  return joined;
}

export async function readText(blob: Blob): Promise<string> {
  return new TextDecoder().decode(await blob.arrayBuffer());
}
