import type { Client } from '../../client/index.ts';
import { type RawStream, type SettledRequest, TachoError } from '../../protocol/index.ts';
import { writeOut } from '../output/write-out.ts';
import type { Output } from './show-run.ts';

const LINE_FEED = 0x0a;
const PIECE_BYTES = 1024 * 1024;

interface Place {
  stream: RawStream;
  to: NodeJS.WriteStream;
  position: number;
}

/**
 * Shows the output of a run of the server on our streams: every event that announces more output triggers a read of the
 * bytes after the last known one. The server stores them, so a slow terminal here costs nothing.
 */
export class QueuedOutput {
  readonly #client: Client;
  readonly #runId: string;
  readonly #main: NodeJS.WriteStream;
  readonly #places: Place[];
  #attempt = 1;
  #pumping: Promise<void> | null = null;
  #again = false;
  #failure: unknown = null;
  #lastByte = LINE_FEED;

  constructor(client: Client, runId: string, { capture, recording }: SettledRequest, output: Output) {
    const { [output]: main, stderr } = process;
    // Both go to one place: the merged log keeps the order between the program's streams.
    const isOnePlace = main === stderr || (main.isTTY && stderr.isTTY);
    const together = capture === 'merged' || (recording.level !== 'minimal' && isOnePlace);
    this.#client = client;
    this.#runId = runId;
    this.#main = main;
    this.#places = together
      ? [{ stream: 'pty', to: main, position: 0 }]
      : [
          { stream: 'stdout', to: main, position: 0 },
          { stream: 'stderr', to: stderr, position: 0 },
        ];
  }

  /** There may be more to show. */
  wake(attempt: number): void {
    this.#attempt = attempt;
    this.#again = true;
    this.#pumping ??= this.#pump().finally(() => {
      this.#pumping = null;
    });
  }

  /** Shows the rest. */
  async finish(): Promise<void> {
    this.wake(this.#attempt);
    await this.#pumping;
    if (this.#failure !== null) throw this.#failure;
  }

  startLine(): void {
    if (this.#lastByte !== LINE_FEED) this.#main.write('\n');
  }

  async #pump(): Promise<void> {
    while (this.#again && this.#failure === null) {
      this.#again = false;
      try {
        for (const place of this.#places) await this.#show(place);
      } catch (error) {
        this.#failure = error;
      }
    }
  }

  async #show(place: Place): Promise<void> {
    for (;;) {
      const from = place.position;
      const bytes = await this.#read(place);
      if (bytes.length === 0) return;
      place.position += bytes.length;
      const shown = Buffer.from(place.stream === 'pty' && from === 0 ? afterHeader(bytes) : bytes);
      if (shown.length === 0) continue;
      if (place.to === this.#main) this.#lastByte = shown[shown.length - 1]!;
      await writeOut(place.to, shown);
    }
  }

  async #read({ stream, position }: Place): Promise<Uint8Array> {
    const window = { from: position, to: position + PIECE_BYTES };
    try {
      return await this.#client.raw(this.#runId, stream, this.#attempt, window);
    } catch (error) {
      // The attempt does not record yet, or never will.
      if (error instanceof TachoError && error.code === 'ATTEMPT_NOT_FOUND') return new Uint8Array(0);
      throw error;
    }
  }
}

/** The merged log begins with a header line. */
function afterHeader(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(bytes.indexOf(LINE_FEED) + 1);
}
