import type { Client } from '../../client/index.ts';
import { inForeground } from '../terminal/own-terminal.ts';

/** The limit of one request. */
const PIECE_BYTES = 64 * 1024;

/**
 * Sends standard input to a run of the server: a pipe or file byte for byte, a keyboard line by line. The terminal
 * stays in line mode, so that it echoes typed text and Ctrl-C reaches us.
 */
export class QueuedInput {
  readonly #client: Client;
  readonly #runId: string;
  readonly #closed = new AbortController();
  #opened = false;

  constructor(client: Client, runId: string) {
    this.#client = client;
    this.#runId = runId;
  }

  /** The run is about to have a terminal. */
  open(): void {
    if (this.#opened || (process.stdin.isTTY && !inForeground())) return;
    this.#opened = true;
    const { stdout } = process;
    const resize = () =>
      void this.#client.resize(this.#runId, { cols: stdout.columns, rows: stdout.rows }).catch(() => {});
    stdout.on('resize', resize);
    this.#closed.signal.addEventListener('abort', () => stdout.off('resize', resize));
    // Our input was closed, or the run has ended.
    void this.#forward().catch(() => {});
  }

  close(): void {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    process.stdin.destroy();
  }

  /** A run reports `running` before its program starts; input sent before that is delivered once it starts. */
  async #forward(): Promise<void> {
    const { signal } = this.#closed;
    const piped = !process.stdin.isTTY;
    for await (const bytes of process.stdin) {
      for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
        await this.#client.input(this.#runId, (bytes as Buffer).subarray(from, from + PIECE_BYTES), { piped, signal });
      }
    }
    if (piped) await this.#client.input(this.#runId, Buffer.alloc(0), { end: true, signal });
  }
}
