import type { Emulator } from './screen.ts';

/** An emulator parses a piece in one go, and nothing else happens meanwhile. */
const PIECE_BYTES = 1024;
/** What it has been given cannot be taken back. */
const MOST_INSIDE = 64 * 1024;
/** A program that prints what takes long to draw does not wait for it, and we do not keep all of it. */
const MOST_QUEUED = 512 * 1024;
const TAIL_BYTES = 128 * 1024;
const RESET = Buffer.from('\x1bc');

/**
 * Gives an emulator what a program prints. When it is too far behind it skips: it goes on, on an empty screen, with the
 * last of what was printed.
 */
export class ScreenFeed {
  readonly #emulator: Emulator;
  #bytes: Buffer[] = [];
  #queued = 0;
  #inside = 0;
  /** Who looks when this many bytes more have been handed over. */
  #looks: { after: number; look: () => void }[] = [];

  constructor(emulator: Emulator) {
    this.#emulator = emulator;
  }

  write(bytes: Uint8Array): void {
    // The emulator keeps what it has not parsed yet; our bytes are only lent.
    this.#bytes.push(Buffer.from(bytes));
    this.#queued += bytes.length;
    if (this.#queued > MOST_QUEUED) this.#skip();
    this.#hand();
  }

  /** Looks when everything written before has been drawn or skipped, and nothing that is written later. */
  drawn<T>(look: () => T): Promise<T> {
    return new Promise((resolve) => {
      // At once: the emulator goes on with the next piece before anybody who waits hears of it.
      this.#looks.push({ after: this.#queued, look: () => resolve(look()) });
      this.#hand();
    });
  }

  #hand(): void {
    while (this.#inside < MOST_INSIDE) {
      if (this.#looks[0]?.after === 0) {
        this.#emulator.write('', this.#looks.shift()!.look);
        continue;
      }
      const most = Math.min(PIECE_BYTES, this.#looks[0]?.after ?? PIECE_BYTES);
      const piece = this.#take(most);
      if (!piece) return;
      this.#inside += piece.length;
      this.#emulator.write(piece, () => {
        this.#inside -= piece.length;
        this.#hand();
      });
    }
  }

  #take(most: number): Buffer | null {
    const [first] = this.#bytes;
    if (!first) return null;
    const piece = first.subarray(0, most);
    if (piece.length === first.length) this.#bytes.shift();
    else this.#bytes[0] = first.subarray(piece.length);
    this.#queued -= piece.length;
    for (const waiting of this.#looks) waiting.after -= piece.length;
    return piece;
  }

  #skip(): void {
    const tail = Buffer.concat(this.#bytes).subarray(-TAIL_BYTES);
    this.#bytes = [RESET, Buffer.from(tail)];
    this.#queued = RESET.length + tail.length;
    for (const waiting of this.#looks) waiting.after = this.#queued;
  }
}
