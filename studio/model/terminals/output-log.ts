import type { StreamName } from '../../../src/protocol/index.ts';
import { joinBytes } from '../bytes/join-bytes.ts';

/** A line of the log: what a stream printed, a command that was sent from here, or that something is missing. */
export interface LogLine {
  id: number;
  kind: StreamName | 'command' | 'gap';
  bytes: Uint8Array;
}

/** Older lines are let go: all of them are in the recording. */
export const MOST_LINES = 5000;
/** A longer line continues in the next one. */
const MOST_LINE_BYTES = 4096;
const LINE_FEED = 0x0a;

/**
 * The last lines of what a session printed, in the order in which they began. Each stream has a line of its own that is
 * not over yet, so that two that print at once do not cut each other's words. A line that grows is another object.
 */
export class OutputLog {
  #lines: LogLine[] = [];
  #lastId = 0;
  /** Ids of the lines that continue in the next one. */
  #open: Partial<Record<StreamName, number>> = {};

  /** As they are now; asked for once a frame, not for every piece. */
  lines(): readonly LogLine[] {
    return this.#lines.slice(-MOST_LINES);
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

  /** Something that no stream printed. */
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
    // Twice as many are kept, so that not every line moves all others.
    if (this.#lines.length > 2 * MOST_LINES) this.#lines = this.#lines.slice(-MOST_LINES);
    return id;
  }

  /** Where the line of an id is; −1 where it is not there any more. Ids follow each other without a gap. */
  #indexOf(id: number | undefined): number {
    const first = this.#lines[0]?.id;
    return id === undefined || first === undefined ? -1 : Math.max(-1, id - first);
  }
}

/** Where a line that is too long is cut, without cutting a character. */
function cutOf(bytes: Uint8Array): number {
  if (bytes.length <= MOST_LINE_BYTES) return bytes.length;
  let cut = MOST_LINE_BYTES;
  while (cut > MOST_LINE_BYTES - 4 && (bytes[cut]! & 0xc0) === 0x80) cut--;
  return cut;
}
