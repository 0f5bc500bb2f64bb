import type { OutputStream } from '../protocol/index.ts';
import type { Timed } from './timed.ts';
import type { Unit } from './unit.ts';

/** A longer line is not held in memory to be read as a whole; an agent's message is never that long. */
export const LONGEST_LINE = 16 * 1024 * 1024;
const PARTIAL_LINE_MS = 1000;
const LINE_FEED = 0x0a;
const BRACKET = 0x5b;
const BRACE = 0x7b;

export interface LineReceiver {
  /** A whole line with its line feed, or the end of a stream without one. The bytes are valid during the call only. */
  line(bytes: Buffer, unit: Unit): void;
  /** The beginning of a line that could not wait for its end. */
  part(bytes: Buffer, unit: Unit): void;
  /** A piece of the rest of such a line, cut where the chunks are: nothing may be read from it. */
  rest(bytes: Buffer, unit: Unit): void;
  /** A line that is too long to be read has ended; its parts were given before. */
  tooLong(unit: Unit): void;
  /** True while lines of this stream are put together: the next one waits for its end, however long that takes. */
  gathers?(stream: OutputStream): boolean;
}

/**
 * Cuts one stream into lines. A line that may be JSON waits for its end however long that takes; another one, such as a
 * prompt, is given away after a second without one. A line longer than the limit goes in parts, so that it costs no
 * more memory than the limit.
 */
export class LineCutter implements Timed {
  readonly #stream: OutputStream;
  readonly #to: LineReceiver;
  readonly #limit: number;
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** Offset of the first held byte. */
  #from: number;
  #firstTime = 0;
  #lastTime = 0;
  #maybeJson = false;
  /** Set while the rest of a line is passed on whose beginning was given away. */
  #rest: { from: number; tooLong: boolean } | null = null;

  constructor(stream: OutputStream, origin: number, to: LineReceiver, limit = LONGEST_LINE) {
    this.#stream = stream;
    this.#from = origin;
    this.#to = to;
    this.#limit = limit;
  }

  push(bytes: Buffer, time: number): void {
    for (let at = 0; at < bytes.length; ) {
      const end = bytes.indexOf(LINE_FEED, at);
      const to = end < 0 ? bytes.length : end + 1;
      this.#take(bytes.subarray(at, to), time, end >= 0);
      at = to;
    }
  }

  deadline(): number {
    if (this.#heldBytes === 0 || this.#maybeJson || this.#to.gathers?.(this.#stream)) return Number.POSITIVE_INFINITY;
    return this.#firstTime + PARTIAL_LINE_MS;
  }

  fire(): void {
    const from = this.#from;
    this.#givePart();
    this.#rest = { from, tooLong: false };
  }

  /** The stream is over: what is left is its last line. */
  end(): void {
    if (this.#heldBytes > 0) this.#giveLine();
    else if (this.#rest) this.#endRest();
  }

  #take(piece: Buffer, time: number, ends: boolean): void {
    let left = piece;
    // The limit is met at the same byte however the bytes were cut.
    if (!this.#rest && this.#heldBytes + left.length > this.#limit) {
      const room = this.#limit - this.#heldBytes;
      this.#hold(left.subarray(0, room), time);
      left = left.subarray(room);
      const from = this.#from;
      this.#givePart();
      this.#rest = { from, tooLong: true };
    }
    if (this.#rest) {
      this.#lastTime = time;
      if (left.length > 0) this.#to.rest(left, this.#unit(left.length));
      this.#from += left.length;
      if (ends) this.#endRest();
      return;
    }
    if (ends && this.#heldBytes === 0) {
      // The usual case: a line within one chunk is not copied.
      this.#lastTime = time;
      const unit = this.#unit(left.length);
      this.#from += left.length;
      this.#to.line(left, unit);
      return;
    }
    this.#hold(left, time);
    if (ends) this.#giveLine();
  }

  #hold(bytes: Buffer, time: number): void {
    if (bytes.length === 0) return;
    if (this.#heldBytes === 0) this.#firstTime = time;
    if (!this.#maybeJson) this.#maybeJson = bytes.includes(BRACE) && this.#beginsWithObject(bytes);
    this.#held.push(Buffer.from(bytes));
    this.#heldBytes += bytes.length;
    this.#lastTime = time;
  }

  /** Also one that is the first of an array. */
  #beginsWithObject(next: Buffer): boolean {
    let inArray = false;
    for (const bytes of [...this.#held, next]) {
      for (const byte of bytes) {
        if (byte === BRACE) return true;
        if (byte === BRACKET && !inArray) inArray = true;
        else if (byte !== 0x20 && byte !== 0x09) return false;
      }
    }
    return false;
  }

  #giveLine(): void {
    const { bytes, unit } = this.#empty();
    this.#to.line(bytes, unit);
  }

  #givePart(): void {
    const { bytes, unit } = this.#empty();
    this.#to.part(bytes, unit);
  }

  #empty(): { bytes: Buffer; unit: Unit } {
    const bytes = this.#held.length === 1 ? this.#held[0]! : Buffer.concat(this.#held, this.#heldBytes);
    const unit = this.#unit(this.#heldBytes);
    this.#from += this.#heldBytes;
    this.#held = [];
    this.#heldBytes = 0;
    this.#maybeJson = false;
    return { bytes, unit };
  }

  #endRest(): void {
    const { from, tooLong } = this.#rest!;
    this.#rest = null;
    if (tooLong) this.#to.tooLong({ stream: this.#stream, from, to: this.#from, time: this.#lastTime });
  }

  #unit(length: number): Unit {
    return { stream: this.#stream, from: this.#from, to: this.#from + length, time: this.#lastTime };
  }
}
