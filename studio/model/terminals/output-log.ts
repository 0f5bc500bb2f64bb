import type { StreamName } from '../../../src/protocol/index.ts';
import { joinBytes } from '../bytes/join-bytes.ts';

/** A line of the log: output of a stream, a command sent from here, or a gap. */
export interface LogLine {
  id: number;
  kind: StreamName | 'command' | 'gap';
  bytes: Uint8Array;
}

/** Older lines are dropped: the recording has all of them. */
export const MAX_LINES = 5000;
/** A longer line continues in the next one. */
const MAX_LINE_BYTES = 4096;
const LINE_FEED = 0x0a;

/**
 * The last lines of a session's output, in the order in which they began. Each stream has its own unfinished line, so
 * that concurrent output is not mixed within a line. A line that grows becomes a new object.
 */
export class OutputLog {
  #lines: LogLine[] = [];
  #lastId = 0;
  /** Ids of the unfinished lines. */
  #open: Partial<Record<StreamName, number>> = {};

  /** The current lines; read once per frame, not for every piece. */
  lines(): readonly LogLine[] {
    return this.#lines.slice(-MAX_LINES);
  }

  add(stream: StreamName, bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; ) {
      const feed = bytes.indexOf(LINE_FEED, from);
      const end = feed < 0 ? bytes.length : feed;
      this.#continue(stream, bytes.subarray(from, end));
      if (feed >= 0) delete this.#open[stream];
      from = end + 1;
    }
  }

  /** A line that no stream printed. */
  note(kind: 'command' | 'gap', text: string): void {
    this.#begin(kind, new TextEncoder().encode(text));
  }

  clear(): void {
    this.#lines = [];
    this.#open = {};
  }

  #continue(stream: StreamName, more: Uint8Array): void {
    const at = this.#indexOf(this.#open[stream]);
    const line = this.#lines[at];
    let rest = line ? joinBytes([line.bytes, more]) : more;
    const first = rest.subarray(0, cutOf(rest));
    if (line) this.#lines[at] = { ...line, bytes: first };
    else this.#open[stream] = this.#begin(stream, first);
    for (rest = rest.subarray(first.length); rest.length > 0; ) {
      const next = rest.subarray(0, cutOf(rest));
      this.#open[stream] = this.#begin(stream, next);
      rest = rest.subarray(next.length);
    }
  }

  #begin(kind: LogLine['kind'], bytes: Uint8Array): number {
    const id = ++this.#lastId;
    this.#lines.push({ id, kind, bytes });
    // Twice as many are kept, so that not every new line moves all others.
    if (this.#lines.length > 2 * MAX_LINES) this.#lines = this.#lines.slice(-MAX_LINES);
    return id;
  }

  /** Index of the line with an id; −1 if it was dropped. Ids are consecutive. */
  #indexOf(id: number | undefined): number {
    const first = this.#lines[0]?.id;
    return id === undefined || first === undefined ? -1 : Math.max(-1, id - first);
  }
}

/** Where to cut a line that is too long, without cutting a character. */
function cutOf(bytes: Uint8Array): number {
  if (bytes.length <= MAX_LINE_BYTES) return bytes.length;
  let cut = MAX_LINE_BYTES;
  while (cut > MAX_LINE_BYTES - 4 && (bytes[cut]! & 0xc0) === 0x80) cut--;
  return cut;
}
