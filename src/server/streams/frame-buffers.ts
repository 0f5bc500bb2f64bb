/** Frames are written in pieces of at most this size, so that little waits for a reader that has stopped reading. */
export const PIECE_BYTES = 80 * 1024;
/** Unused ones beyond these are left to the collector. */
const MOST_FREE = 64;

/**
 * Buffers for frames, used again and again. Fresh ones for each piece would be cheap to make, but the collector lets some
 * 64 MB of them pile up before it looks.
 */
export class FrameBuffers {
  readonly #free: Buffer[] = [];

  /** One that may be larger than asked for; what is in it is of no meaning. */
  take(bytes: number): Buffer {
    if (bytes > PIECE_BYTES) return Buffer.allocUnsafeSlow(bytes);
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES);
  }

  /** Nobody reads from it any more. */
  giveBack(buffer: Buffer): void {
    if (buffer.length === PIECE_BYTES && this.#free.length < MOST_FREE) this.#free.push(buffer);
  }

  get free(): number {
    return this.#free.length;
  }
}
