import fs from 'node:fs';
import net from 'node:net';
import { countUnread } from './libc.ts';

/** One for all pipes: what is read is handed on before anything else is read, and whoever wants to keep it copies it. */
const BUFFER = Buffer.allocUnsafeSlow(64 * 1024);

export interface PipeReaderOptions {
  /** The reading end; the reader closes it. */
  fd: number;
  /** The bytes are valid during the call only. */
  onBytes(bytes: Buffer): void;
  /** Everybody who could write has closed it, or the reader was destroyed. */
  onEnd(): void;
}

/** Reads a pipe all the time, and at once what is in it when somebody needs to know that it was read. */
export class PipeReader {
  readonly #options: PipeReaderOptions;
  readonly #socket: net.Socket;
  #pauses = 0;
  #ended = false;

  constructor(options: PipeReaderOptions) {
    this.#options = options;
    const onread = { buffer: BUFFER, callback: (count: number) => this.#take(count) };
    const socketOptions = { fd: options.fd, readable: true, writable: false, onread };
    this.#socket = new net.Socket(socketOptions as net.SocketConstructorOpts);
    this.#socket.on('error', () => {});
    this.#socket.once('end', () => this.#end());
    this.#socket.once('close', () => this.#end());
    this.#socket.resume();
  }

  /**
   * Reads what is in the pipe now, without going through the event loop. No more than that: somebody in the background
   * may write faster than we read.
   */
  drain(): void {
    if (this.#ended || this.#socket.destroyed) return;
    for (let left = countUnread(this.#options.fd); left > 0; ) {
      const count = fs.readSync(this.#options.fd, BUFFER, 0, Math.min(left, BUFFER.length), null);
      if (count === 0) return;
      this.#take(count);
      left -= count;
    }
  }

  /** Real backpressure: who writes blocks when the pipe is full. Several may want it; the last one lets go. */
  pause(): void {
    this.#pauses++;
    this.#socket.pause();
  }

  resume(): void {
    if (--this.#pauses === 0) this.#socket.resume();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #take(count: number): boolean {
    this.#options.onBytes(BUFFER.subarray(0, count));
    return this.#pauses === 0;
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#options.onEnd();
  }
}
