import type { Writable } from 'node:stream';

/** What may wait for a client to read it before its next message is let wait. */
const MOST_WAITING_BYTES = 1024 * 1024;

/** Messages on their way to a client. Who sends learns when there is room for more, so that a slow client costs little. */
export class Outbox {
  readonly #output: Writable;
  readonly #waiting = new Set<() => void>();
  #gone = false;

  constructor(output: Writable) {
    this.#output = output;
    const wake = (): void => {
      for (const resume of this.#waiting) resume();
      this.#waiting.clear();
    };
    output.on('drain', wake);
    output.on('close', () => {
      this.#gone = true;
      wake();
    });
    output.on('error', () => {}); // The client is gone, which `close` tells.
  }

  /** Resolves when the message was taken and there is room for the next one; rejects when nobody reads any more. */
  async send(text: string): Promise<void> {
    if (this.#gone || this.#output.writableEnded) throw new Error('the client is gone');
    this.#output.write(text);
    await this.room();
    if (this.#gone) throw new Error('the client is gone');
  }

  async room(): Promise<void> {
    while (!this.#gone && this.#output.writableLength > MOST_WAITING_BYTES) {
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** Resolves when everything sent was handed over, or nobody is there to take it. */
  async end(): Promise<void> {
    if (this.#gone || this.#output.writableEnded) return;
    await new Promise<void>((resolve) => {
      this.#output.once('close', resolve);
      this.#output.end(resolve);
    });
  }
}
