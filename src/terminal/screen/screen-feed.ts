import type { Emulator } from './screen.ts';

/** An emulator parses each piece synchronously. */
const PIECE_BYTES = 1024;
/** Bytes in the emulator can no longer be skipped. */
const MAX_INSIDE = 64 * 1024;
/** Output that takes long to draw does not block the program, and is not kept completely. */
const MAX_QUEUED = 512 * 1024;
const TAIL_BYTES = 128 * 1024;
const RESET = Buffer.from('\x1bc');

/**
 * Feeds the output of a program to an emulator. When too far behind, it skips: it continues on an empty screen with the
 * end of the output.
 */
export class ScreenFeed {
  readonly #emulator: Emulator;
  #bytes: Buffer[] = [];
  #queued = 0;
  #inside = 0;
  /** Callbacks to run after this many more bytes. */
  #callbacks: { after: number; callback: () => void }[] = [];

  constructor(emulator: Emulator) {
    this.#emulator = emulator;
  }

  write(bytes: Uint8Array): void {
    // The emulator keeps bytes that it has not parsed yet, and ours are valid only during the call.
    this.#bytes.push(Buffer.from(bytes));
    this.#queued += bytes.length;
    if (this.#queued > MAX_QUEUED) this.#skip();
    this.#feed();
  }

  /** Calls `callback` when exactly what was written before has been drawn or skipped. */
  drawn<T>(callback: () => T): Promise<T> {
    return new Promise((resolve) => {
      // Inside of the emulator's callback, because it parses the next piece before a promise resolves.
      this.#callbacks.push({ after: this.#queued, callback: () => resolve(callback()) });
      this.#feed();
    });
  }

  #feed(): void {
    while (this.#inside < MAX_INSIDE) {
      if (this.#callbacks[0]?.after === 0) {
        this.#emulator.write('', this.#callbacks.shift()!.callback);
        continue;
      }
      const maxBytes = Math.min(PIECE_BYTES, this.#callbacks[0]?.after ?? PIECE_BYTES);
      const piece = this.#take(maxBytes);
      if (!piece) return;
      this.#inside += piece.length;
      this.#emulator.write(piece, () => {
        this.#inside -= piece.length;
        this.#feed();
      });
    }
  }

  #take(maxBytes: number): Buffer | null {
    const [first] = this.#bytes;
    if (!first) return null;
    const piece = first.subarray(0, maxBytes);
    if (piece.length === first.length) this.#bytes.shift();
    else this.#bytes[0] = first.subarray(piece.length);
    this.#queued -= piece.length;
    for (const waiting of this.#callbacks) waiting.after -= piece.length;
    return piece;
  }

  #skip(): void {
    const tail = Buffer.concat(this.#bytes).subarray(-TAIL_BYTES);
    this.#bytes = [RESET, Buffer.from(tail)];
    this.#queued = RESET.length + tail.length;
    for (const waiting of this.#callbacks) waiting.after = this.#queued;
  }
}
