import { TachoError } from '../../../src/protocol/index.ts';
import type { StreamName } from '../../model/bytes/raw-ranges.ts';
import {
  append,
  endOf,
  numbered,
  PART_BYTES,
  prepend,
  type RawWindow,
  spanAround,
  windowOf,
} from '../../model/bytes/raw-window.ts';
import type { RunSource } from '../../source/run-source.ts';
import { Store } from '../../state/store.ts';

export type RawState =
  | { phase: 'loading' }
  /** The attempt has no such file. */
  | { phase: 'absent' }
  | { phase: 'failed'; error: Error }
  | { phase: 'ready'; window: RawWindow };

/** Reads one stream in parts: around a byte, and from there in both directions. */
export class RawReader {
  readonly state = new Store<RawState>({ phase: 'loading' });
  readonly #source: RunSource;
  readonly #name: StreamName;
  readonly #ending = new AbortController();
  #busy = false;
  /** Number of windows opened: results for an earlier one are discarded. */
  #opened = 0;

  constructor(source: RunSource, name: StreamName) {
    this.#source = source;
    this.#name = name;
  }

  close(): void {
    this.#ending.abort();
  }

  /** Loads the bytes around a byte, unless they are loaded; beyond the end it shows the end. */
  async open(byte: number): Promise<void> {
    const { window } = this;
    if (window && byte >= window.from && byte < endOf(window)) return;
    const opened = ++this.#opened;
    await this.#attempt(async () => {
      // First, because it also reports the size: bytes after the end must not be requested.
      const { stream, attempt } = this.#name;
      const { lines, size } = await this.#source.lines(stream, attempt, byte, this.#ending.signal);
      const place = Math.max(0, Math.min(byte, size - 1));
      const { from, to } = spanAround(place);
      const part = size === 0 ? { bytes: new Uint8Array(0), total: 0 } : await this.#read(from, Math.min(to, size));
      if (opened !== this.#opened) return;
      const line = lines.find(({ byte_from, byte_to }) => byte_from <= place && place <= byte_to)?.line ?? null;
      this.#show(numbered(windowOf(from, part.bytes, part.total), place, line));
    });
  }

  before(): void {
    void this.#alone(async (window) => {
      if (window.from === 0) return;
      const part = await this.#read(Math.max(0, window.from - PART_BYTES), window.from);
      if (this.window === window) this.#show(prepend(window, part.bytes));
    });
  }

  /** Also beyond the last known end: a live stream grows. */
  after(): void {
    void this.#alone(async (window) => {
      const end = endOf(window);
      if (end === 0) return void (await this.open(0));
      // Includes the last existing byte: a server rejects reads that begin at the end of a stream.
      const { bytes, total } = await this.#read(end - 1, end + PART_BYTES);
      if (this.window === window && bytes.length > 1) this.#show(append(window, bytes.subarray(1), total));
    });
  }

  get window(): RawWindow | null {
    const state = this.state.get();
    return state.phase === 'ready' ? state.window : null;
  }

  async #alone(work: (window: RawWindow) => Promise<void>): Promise<void> {
    const { window } = this;
    if (this.#busy || !window) return;
    this.#busy = true;
    await this.#attempt(() => work(window));
    this.#busy = false;
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (this.#ending.signal.aborted) return;
      const absent = error instanceof TachoError && error.code === 'ATTEMPT_NOT_FOUND';
      // Content stays on the screen: a part that could not be loaded is requested again.
      if (absent) this.state.set({ phase: 'absent' });
      else if (!this.window) this.state.set({ phase: 'failed', error: error as Error });
    }
  }

  async #read(from: number, to: number): Promise<{ bytes: Uint8Array; total: number }> {
    const { stream, attempt } = this.#name;
    const { bytes, total } = await this.#source.raw(stream, attempt, { from, to }, this.#ending.signal);
    return { bytes, total: total ?? from + bytes.length };
  }

  #show(window: RawWindow): void {
    this.state.set({ phase: 'ready', window });
  }
}
