import fs from 'node:fs';
import net from 'node:net';
import { countUnread, hasNoWriter } from './libc.ts';

/** Shared by all pipes: each read is passed on before the next one, and receivers copy what they keep. */
const BUFFER = Buffer.allocUnsafeSlow(64 * 1024);

export interface PipeReaderOptions {
  /** The read end; closed by the reader. */
  fd: number;
  /** The bytes are valid during the call only. */
  onBytes(bytes: Buffer): void;
  /** All writers have closed it, or the reader was destroyed. */
  onEnd(): void;
}

/** Reads a pipe continuously, or synchronously when everything written so far is needed. */
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
   * Reads what is in the pipe now, without the event loop. No more than that: a background process may write faster
   * than we read.
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

  /** Whether all writers have closed the pipe by now, also when the event loop has not come to it yet. */
  get hasEnded(): boolean {
    return this.#ended || this.#socket.destroyed || hasNoWriter(this.#options.fd);
  }

  /** Backpressure: writers block when the pipe is full. Calls are counted; the last `resume` continues. */
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
