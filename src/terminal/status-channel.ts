import { PipeReader } from './pipe-reader.ts';

/** Longer than any line of ours: anything longer was not written by us. */
const MAX_LINE_LENGTH = 200;

/** Where a shell reports the status of its commands: lines with a nonce and a number. Anything else is ignored. */
export class StatusChannel {
  readonly #reader: PipeReader;
  readonly #expected = new Map<string, (status: number | null) => void>();
  #ended = false;
  #line = '';

  constructor(fd: number) {
    this.#reader = new PipeReader({ fd, onBytes: (bytes) => this.#read(bytes.toString('latin1')), onEnd: () => {} });
  }

  /** No more is reported: the shell has ended, or became another program. */
  get closed(): boolean {
    return this.#reader.hasEnded;
  }

  /** The status; null if the shell ended without reporting it. */
  expect(nonce: string): Promise<number | null> {
    if (this.#ended) return Promise.resolve(null);
    return new Promise((resolve) => this.#expected.set(nonce, resolve));
  }

  /** The shell has ended: reads what it reported before, and resolves pending requests. */
  end(): void {
    this.#reader.drain();
    this.#ended = true;
    for (const resolve of this.#expected.values()) resolve(null);
    this.#expected.clear();
  }

  destroy(): void {
    this.#reader.destroy();
  }

  #read(text: string): void {
    const lines = (this.#line + text).split('\n');
    this.#line = lines.pop()!.slice(-MAX_LINE_LENGTH);
    for (const line of lines) {
      const [nonce, status] = line.split(' ');
      const resolve = this.#expected.get(nonce!);
      if (!resolve || !/^\d{1,3}$/.test(status ?? '')) continue;
      this.#expected.delete(nonce!);
      resolve(Number(status));
    }
  }
}
