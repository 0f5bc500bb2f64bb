import fs from 'node:fs';
import type { Writable } from 'node:stream';
import { openRegularFile } from '../../files/index.ts';
import { withCarriageReturns } from '../output/carriage-returns.ts';

const PIECE_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;

export interface FollowerOptions {
  path: string;
  from: number;
  to: Writable;
  /** True when LF must become CR LF for this piece. */
  addCarriageReturn(): boolean;
  /** Size of the file when this reader joined: bytes before it are the past. */
  joinedAt?: number;
  /** Shows a piece; resolves when its buffer can be reused. */
  show(bytes: Buffer, when: { isPast: boolean }): Promise<void>;
}

/**
 * Shows a growing file on a stream, at the stream's own pace. The file is the buffer: a stopped terminal or an unread
 * pipe uses no memory and never slows the recording.
 */
export class FileFollower {
  readonly #options: FollowerOptions;
  readonly #fd: number;
  #position: number;
  #end = Number.POSITIVE_INFINITY;
  #pumping: Promise<void> | null = null;
  #again = false;
  #gone = false;
  #finished: Promise<void> | null = null;
  readonly to: Writable;
  lastByte = LINE_FEED;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.to = options.to;
    this.#position = options.from;
    this.#fd = openRegularFile(options.path);
    options.to.on('error', () => {
      this.#gone = true; // The reader has gone; the run continues without it.
    });
  }

  /** Shows more, up to `end`, the known end of the output: a program could have appended to the file. */
  wake(end = this.#end): void {
    this.#end = end;
    this.#again = true;
    this.#pumping ??= this.#pump().finally(() => {
      this.#pumping = null;
    });
  }

  /** Shows the rest, then closes. A second call changes nothing. */
  finish(): Promise<void> {
    this.#finished ??= this.#finish();
    return this.#finished;
  }

  async #finish(): Promise<void> {
    this.wake();
    await this.#pumping;
    fs.closeSync(this.#fd);
  }

  async #pump(): Promise<void> {
    const buffer = Buffer.allocUnsafe(PIECE_BYTES);
    while (this.#again && !this.#gone) {
      this.#again = false;
      for (;;) {
        const past = Math.max(0, (this.#options.joinedAt ?? 0) - this.#position);
        const known = Math.max(0, this.#end - this.#position);
        const read = fs.readSync(this.#fd, buffer, 0, Math.min(PIECE_BYTES, known, past || known), this.#position);
        if (read === 0 || this.#gone) break;
        this.#position += read;
        await this.#show(buffer.subarray(0, read), past > 0);
      }
    }
  }

  /** Resolves when the stream has written the bytes, so that one buffer is enough for the whole run. */
  #show(bytes: Buffer, isPast: boolean): Promise<void> {
    this.lastByte = bytes[bytes.length - 1]!;
    return this.#options.show(this.#options.addCarriageReturn() ? withCarriageReturns(bytes) : bytes, { isPast });
  }
}
