import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import tty from 'node:tty';
import { MarkerScanner } from './marker-scanner.ts';
import { type Pty, prepareForMarker, unlessHungUp } from './pty.ts';
import { PtyWriter } from './pty-writer.ts';

/**
 * Maximum silence of a terminal whose marker is still to come, and of one that cannot deliver it: 5 s and 0.2 s.
 * Counted in polls between which the event loop read all available data, so that a suspended process gives up nothing.
 */
const DRAIN_POLL_MS = 100;
const DRAIN_POLLS = 50;
const DRAIN_POLLS_WITHOUT_MARKER = 2;
const READ_BUFFER_BYTES = 64 * 1024;

/**
 * Reads one pseudo-terminal to its last byte: we hold the slave open, so that no hang-up can cut reading short, and
 * drain the master up to a marker that we write ourselves.
 */
export class PtyReader {
  readonly pty: Pty;
  readonly #onOutput: (bytes: Buffer) => void;
  readonly #stream: tty.ReadStream;
  readonly #writer: PtyWriter;
  /** Set while draining. */
  #drain: { scanner: MarkerScanner; silentPolls: number; found(): void } | null = null;
  #paused = false;

  /** The bytes are valid only during the call. */
  constructor(pty: Pty, onOutput: (bytes: Buffer) => void) {
    this.pty = pty;
    this.#onOutput = onOutput;
    // One buffer for all reads: receivers copy what they keep.
    const onread = {
      buffer: Buffer.allocUnsafe(READ_BUFFER_BYTES),
      callback: (count: number, buffer: Uint8Array) => this.#read(buffer as Buffer, count),
    };
    this.#stream = new tty.ReadStream(pty.master, { onread } as ConstructorParameters<typeof tty.ReadStream>[1]);
    this.#stream.on('error', () => {}); // EIO: the program hung its terminal up, or the drain timeout destroyed it.
    this.#stream.resume();
    this.#writer = new PtyWriter(pty.master);
  }

  get destroyed(): boolean {
    return this.#stream.destroyed;
  }

  /** Resolves when the terminal has accepted the bytes. */
  write(bytes: Uint8Array): Promise<void> {
    return this.#writer.write(bytes);
  }

  pause(): void {
    this.#paused = true;
    this.#stream.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#stream.resume();
  }

  /** Reads to the end after the command has exited. False if it timed out: the last bytes may be missing. */
  async drain(): Promise<boolean> {
    const marker = Buffer.from(randomBytes(24).toString('base64url'));
    const scanner = new MarkerScanner(marker);
    unlessHungUp(() => prepareForMarker(this.pty));
    // Asynchronous, on a pool thread: the terminal may be full, and the thread that empties it must not block.
    const written = writeMarker(this.pty.slave, marker);
    const drained = await this.#untilFound(scanner, written);
    const held = scanner.flush();
    if (held.length > 0) this.#onOutput(held);
    // Destroying the master also frees a marker write that is stuck in the pool; the descriptor may only be closed
    // after that, or the write could go to a file opened next with the same number.
    this.#destroy();
    await written;
    return drained;
  }

  close(): void {
    this.#destroy();
    fs.closeSync(this.pty.slave);
  }

  #destroy(): void {
    this.#writer.close();
    this.#stream.destroy();
  }

  #read(buffer: Buffer, count: number): boolean {
    const bytes = buffer.subarray(0, count);
    const drain = this.#drain;
    const output = drain ? drain.scanner.push(bytes) : bytes;
    if (output.length > 0) this.#onOutput(output);
    if (drain) drain.silentPolls = 0;
    if (drain?.scanner.found) drain.found();
    return !this.#paused;
  }

  /** False if the terminal stays silent for too long without the marker. */
  #untilFound(scanner: MarkerScanner, written: Promise<boolean>): Promise<boolean> {
    return new Promise((resolve) => {
      let maxSilentPolls = DRAIN_POLLS;
      void written.then((whole) => {
        if (!whole) maxSilentPolls = DRAIN_POLLS_WITHOUT_MARKER;
      });
      const finish = (found: boolean): void => {
        clearInterval(watch);
        resolve(found);
      };
      const drain = { scanner, silentPolls: 0, found: () => finish(true) };
      const watch = setInterval(() => {
        if (!this.#paused && ++drain.silentPolls > maxSilentPolls) finish(false);
      }, DRAIN_POLL_MS);
      this.#drain = drain;
    });
  }
}

/** True if everything was written. A signal may interrupt a write to a terminal; then the rest follows. */
function writeMarker(slave: number, marker: Buffer, from = 0): Promise<boolean> {
  return new Promise((resolve) => {
    fs.write(slave, marker, from, (error, written) => {
      if (error) resolve(false);
      else if (from + written >= marker.length) resolve(true);
      else resolve(writeMarker(slave, marker, from + written));
    });
  });
}
