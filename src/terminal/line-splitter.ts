const LINE_FEED = 0x0a;

/** A line that was longer than allowed; its bytes are discarded. */
export const TOO_LONG = Symbol('too long');

/** Splits a stream of bytes into lines, and buffers at most one line of the allowed length. */
export class LineSplitter {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #held = 0;
  #skipping = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that end in these bytes, without line ends. An overlong line is reported as soon as it is detected. */
  push(bytes: Buffer): (Buffer | typeof TOO_LONG)[] {
    const lines: (Buffer | typeof TOO_LONG)[] = [];
    for (let from = 0; from < bytes.length; ) {
      const end = bytes.indexOf(LINE_FEED, from);
      const piece = bytes.subarray(from, end < 0 ? bytes.length : end);
      from = end < 0 ? bytes.length : end + 1;
      if (!this.#skipping && this.#held + piece.length > this.#maxBytes) {
        lines.push(TOO_LONG);
        this.#skipping = true;
        this.#take();
      }
      if (!this.#skipping) this.#hold(piece);
      if (end < 0) continue;
      if (!this.#skipping) lines.push(this.#take());
      this.#skipping = false;
    }
    return lines;
  }

  /** The bytes after the last line end. */
  rest(): Buffer {
    return this.#take();
  }

  #hold(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#pieces.push(piece);
    this.#held += piece.length;
  }

  #take(): Buffer {
    const line = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#held = 0;
    return line;
  }
}
