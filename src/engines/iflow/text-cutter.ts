import { characterBoundary, type OutputStream } from '../../protocol/index.ts';
import type { Piece } from './piece.ts';

/** A longer line is given in pieces of this size. */
export const LONGEST_LINE = 1024 * 1024;
const LINE_FEED = 0x0a;

export interface PieceReceiver {
  /** A line with its line feed, or what there is of one. The receiver may keep the bytes. */
  piece(piece: Piece): void;
  /** A line got too long; reported once for each such line, after its first piece. */
  tooLong(piece: Piece): void;
}

/**
 * Cuts one stream into lines. Unlike a line of a protocol, prose may stop in the middle of a line for minutes while a
 * tool runs, so only `release` gives a line that has no end yet.
 */
export class TextCutter {
  readonly #stream: OutputStream;
  readonly #to: PieceReceiver;
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** Offset of the first held byte. */
  #from: number;
  #lastTime = 0;
  #warned = false;

  constructor(stream: OutputStream, origin: number, to: PieceReceiver) {
    this.#stream = stream;
    this.#from = origin;
    this.#to = to;
  }

  push(bytes: Buffer, time: number): void {
    for (let at = 0; at < bytes.length; ) {
      const end = bytes.indexOf(LINE_FEED, at);
      const to = end < 0 ? bytes.length : end + 1;
      this.#take(bytes.subarray(at, to), time);
      at = to;
      if (end < 0) return;
      this.#give(this.#heldBytes);
      this.#warned = false;
    }
  }

  release(): void {
    if (this.#heldBytes > 0) this.#give(this.#heldBytes);
  }

  #take(bytes: Buffer, time: number): void {
    let left = bytes;
    // The limit is met at the same byte however the bytes were cut.
    while (this.#heldBytes + left.length > LONGEST_LINE) {
      const room = LONGEST_LINE - this.#heldBytes;
      this.#hold(left.subarray(0, room), time);
      left = left.subarray(room);
      const held = Buffer.concat(this.#held);
      this.#held = [held];
      const given = this.#give(characterBoundary(held, held.length));
      if (!this.#warned) this.#to.tooLong(given);
      this.#warned = true;
    }
    this.#hold(left, time);
  }

  #hold(bytes: Buffer, time: number): void {
    if (bytes.length === 0) return;
    this.#held.push(Buffer.from(bytes));
    this.#heldBytes += bytes.length;
    this.#lastTime = time;
  }

  #give(length: number): Piece {
    const bytes = this.#held.length === 1 ? this.#held[0]! : Buffer.concat(this.#held);
    const unit = { stream: this.#stream, from: this.#from, to: this.#from + length, time: this.#lastTime };
    const piece = { bytes: bytes.subarray(0, length), unit };
    this.#held = length < bytes.length ? [bytes.subarray(length)] : [];
    this.#heldBytes = bytes.length - length;
    this.#from += length;
    this.#to.piece(piece);
    return piece;
  }
}
