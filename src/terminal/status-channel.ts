import { PipeReader } from './pipe-reader.ts';

/** Longer than any line of ours: what does not end by then was not written by us. */
const LONGEST_LINE = 200;

/** Where a shell tells the status of its commands: lines of a nonce and a number. Anything else is ignored. */
export class StatusChannel {
  readonly #reader: PipeReader;
  readonly #expected = new Map<string, (status: number | null) => void>();
  #gaveUp = false;
  #line = '';
  /** Nobody can tell a status any more: the shell ended, or became another program. */
  closed = false;

  constructor(fd: number) {
    this.#reader = new PipeReader({
      fd,
      onBytes: (bytes) => this.#read(bytes.toString('latin1')),
      onEnd: () => {
        this.closed = true;
      },
    });
  }

  /** The status, or null when the shell ended without telling it. */
  expect(nonce: string): Promise<number | null> {
    if (this.#gaveUp) return Promise.resolve(null);
    return new Promise((resolve) => this.#expected.set(nonce, resolve));
  }

  /** The shell has ended: what it said before is taken in, and whoever still waits is told. */
  giveUp(): void {
    this.#reader.drain();
    this.#gaveUp = true;
    for (const resolve of this.#expected.values()) resolve(null);
    this.#expected.clear();
  }

  destroy(): void {
    this.#reader.destroy();
  }

  #read(text: string): void {
    const lines = (this.#line + text).split('\n');
    this.#line = lines.pop()!.slice(-LONGEST_LINE);
    for (const line of lines) {
      const [nonce, status] = line.split(' ');
      const resolve = this.#expected.get(nonce!);
      if (!resolve || !/^\d{1,3}$/.test(status ?? '')) continue;
      this.#expected.delete(nonce!);
      resolve(Number(status));
    }
  }
}
