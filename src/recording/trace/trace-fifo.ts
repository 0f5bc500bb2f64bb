import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { TachoError } from '../../protocol/index.ts';

const { O_RDONLY, O_WRONLY, O_NONBLOCK } = fs.constants;
const READ_BUFFER_BYTES = 64 * 1024;

/**
 * The pipe that a tracer writes to. We hold a write end ourselves, so that reading cannot end before the tracer has
 * opened its own; once ours is closed, the end of the file is the tracer's exit.
 */
export class TraceFifo {
  readonly path: string;
  /** The last writer is gone and every byte was delivered. */
  readonly ended: Promise<void>;
  readonly #socket: net.Socket;
  #writer: number | null;

  /** `onBytes` gets bytes that are valid only during the call. It is not called before `start`. */
  constructor(folder: string, onBytes: (bytes: Buffer) => void) {
    this.path = path.join(folder, `trace-${randomBytes(6).toString('hex')}.fifo`);
    const made = spawnSync('mkfifo', ['-m', '600', this.path], { encoding: 'utf8' });
    if (made.status !== 0) {
      const why = (made.stderr || made.error?.message || '').trim();
      throw new TachoError('TRACE_UNAVAILABLE', `the pipe for the trace cannot be made: ${why}`, {
        facts: { folder },
        fix: 'Check that the folder can be written and that mkfifo (coreutils) is installed.',
      });
    }
    const reader = fs.openSync(this.path, O_RDONLY | O_NONBLOCK);
    this.#writer = fs.openSync(this.path, O_WRONLY | O_NONBLOCK);
    const onread = {
      buffer: Buffer.allocUnsafe(READ_BUFFER_BYTES),
      callback: (count: number, buffer: Uint8Array) => {
        onBytes((buffer as Buffer).subarray(0, count));
        return true;
      },
    };
    const options: net.SocketConstructorOpts & { onread: typeof onread } = {
      fd: reader,
      readable: true,
      writable: false,
      onread,
    };
    this.#socket = new net.Socket(options);
    this.#socket.pause();
    // An unreadable pipe is closed, which ends the wait.
    this.#socket.on('error', () => {});
    this.ended = new Promise((resolve) => {
      this.#socket.once('end', resolve);
      this.#socket.once('close', () => resolve());
    });
  }

  start(): void {
    this.#socket.resume();
  }

  /** From now on only the tracer keeps the pipe open. Call it when the tracer has certainly opened it. */
  expectEnd(): void {
    if (this.#writer === null) return;
    fs.closeSync(this.#writer);
    this.#writer = null;
  }

  /**
   * Keeps reading without keeping this process alive: a tracer without a reader prints an error to the traced stderr.
   */
  unref(): void {
    this.expectEnd();
    this.#socket.unref();
    fs.rmSync(this.path, { force: true });
  }

  close(): void {
    this.expectEnd();
    this.#socket.destroy();
    fs.rmSync(this.path, { force: true });
  }
}
