import type { Writable } from 'node:stream';

/** Bytes that may be buffered for a client before senders have to wait. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** Messages on their way to a client. Senders wait while the buffer is full, so that a slow client costs little. */
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
    output.on('error', () => {}); // The client has disconnected, which `close` reports.
  }

  /** Resolves when there is room for the next message; rejects when the client has disconnected. */
  async send(text: string): Promise<void> {
    if (this.#gone || this.#output.writableEnded) throw new Error('the client is gone');
    this.#output.write(text);
    await this.room();
    if (this.#gone) throw new Error('the client is gone');
  }

  async room(): Promise<void> {
    while (!this.#gone && this.#output.writableLength > MAX_WAITING_BYTES) {
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** Resolves when everything was sent, or the client has disconnected. */
  async end(): Promise<void> {
    if (this.#gone || this.#output.writableEnded) return;
    await new Promise<void>((resolve) => {
      this.#output.once('close', resolve);
      this.#output.end(resolve);
    });
  }
}
