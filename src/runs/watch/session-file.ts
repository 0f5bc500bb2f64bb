import fs from 'node:fs';
import { openRegularFile, readAt } from '../../files/index.ts';

const PIECE_BYTES = 1024 * 1024;
/** A longer line is passed on in parts, as the parser would take it. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
/** Bytes before the position that must not have changed: a file may be rewritten with the same or a larger size. */
const GUARD_BYTES = 4096;
const LINE_FEED = 0x0a;

/** Complete lines, and whether they may include lines that were read before. */
export interface ReadLines {
  lines: Buffer;
  again: boolean;
}

/**
 * A session file that its engine appends to. Reads what is new; after the file was truncated or replaced, reads it from
 * its beginning. The file is only ever opened for reading, and closed after each read; links and pipes are refused.
 */
export class SessionFile {
  readonly path: string;
  #position = 0;
  /** Of the file that was read; null before the first read. */
  #identity: string | null = null;
  #guard = Buffer.alloc(0);

  constructor(path: string) {
    this.path = path;
  }

  /** Lines in pieces, each valid until the next one. A line without its end is left for the next call. */
  *read(): Generator<ReadLines> {
    const fd = openRegularFile(this.path);
    try {
      const { ino, dev, size } = fs.fstatSync(fd);
      const identity = `${dev}.${ino}`;
      const again = this.#identity !== null && (this.#identity !== identity || !this.#isIntact(fd, size));
      if (again) this.#position = 0;
      this.#identity = identity;
      for (let length = PIECE_BYTES; this.#position < size; ) {
        const piece = readAt(fd, this.#position, Math.min(length, size - this.#position));
        const end = piece.lastIndexOf(LINE_FEED) + 1;
        if (piece.length === 0) return;
        if (end === 0 && piece.length < MAX_LINE_BYTES) {
          if (this.#position + piece.length >= size) return;
          length *= 2;
          continue;
        }
        const lines = end === 0 ? piece : piece.subarray(0, end);
        this.#position += lines.length;
        this.#guard = Buffer.from(lines.subarray(-GUARD_BYTES));
        length = PIECE_BYTES;
        yield { lines, again };
      }
    } finally {
      fs.closeSync(fd);
    }
  }

  /** Whether the bytes read last are still where they were. */
  #isIntact(fd: number, size: number): boolean {
    if (size < this.#position) return false;
    return readAt(fd, this.#position - this.#guard.length, this.#guard.length).equals(this.#guard);
  }
}
