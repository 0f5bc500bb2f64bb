/** Frames are written in pieces of at most this size, so that little is buffered for a stalled reader. */
export const PIECE_BYTES = 80 * 1024;
/** Further unused buffers are left to the garbage collector. */
const MAX_FREE = 64;

/**
 * A pool of buffers for frames. New ones for each piece would be cheap to allocate, but about 64 MB of garbage would
 * pile up before each collection.
 */
export class FrameBuffers {
  readonly #free: Buffer[] = [];

  /** May be larger than requested, with undefined content. */
  take(bytes: number): Buffer {
    if (bytes > PIECE_BYTES) return Buffer.allocUnsafeSlow(bytes);
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES);
  }

  /** The buffer must no longer be in use. */
  giveBack(buffer: Buffer): void {
    if (buffer.length === PIECE_BYTES && this.#free.length < MAX_FREE) this.#free.push(buffer);
  }

  get free(): number {
    return this.#free.length;
  }
}
