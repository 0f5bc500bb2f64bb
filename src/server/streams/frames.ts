import type { JournalLine } from '../../journal/index.ts';
import type { StreamKind } from './event-source.ts';

/** Frames are written in pieces of about this size, so that little waits for a reader that has stopped reading. */
const PIECE_BYTES = 64 * 1024;
const FRAME_END = '\n\n';

/** Some frames as they go over the wire. */
export interface Frames {
  bytes: Buffer;
  events: number;
  /** The last event in them. */
  lastSeq: number;
}

/** Events as frames; their bytes are the kept ones, copied and never read. */
export function* framePieces(lines: readonly JournalLine[], kind: StreamKind): Generator<Frames> {
  for (let from = 0; from < lines.length; ) {
    let to = from;
    let size = 0;
    do size += lines[to++]!.bytes.length;
    while (to < lines.length && size + lines[to]!.bytes.length <= PIECE_BYTES);
    yield joinFrames(lines.slice(from, to), kind, size);
    from = to;
  }
}

/** What is said in a single frame, outside of the numbering. */
export function controlFrame(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}${FRAME_END}`;
}

function joinFrames(lines: readonly JournalLine[], kind: StreamKind, dataBytes: number): Frames {
  const event = `\nevent: ${kind}\ndata: `;
  const longestHead = `id: ${Number.MAX_SAFE_INTEGER}`.length + event.length + FRAME_END.length;
  const bytes = Buffer.allocUnsafe(dataBytes + lines.length * longestHead);
  let at = 0;
  for (const line of lines) {
    at += bytes.write(`id: ${line.seq}${event}`, at, 'latin1');
    at += line.bytes.copy(bytes, at);
    at += bytes.write(FRAME_END, at, 'latin1');
  }
  return { bytes: bytes.subarray(0, at), events: lines.length, lastSeq: lines.at(-1)!.seq };
}
