import type { ModelChunk } from './model.ts';

/** Characters that may wait for a slow reader before the connection has to wait too. */
const MAX_WAITING = 1_000_000;

/**
 * Chunks between a connection and a reader. Whatever arrived while the reader was busy is one group for it, and adjoining
 * deltas of a part are one chunk: a slow reader gets fewer and larger groups, not a longer delay.
 */
export class ChunkQueue {
  #chunks: ModelChunk[] = [];
  #waiting = 0;
  #isFirst = true;
  #end: { error: unknown } | 'complete' | null = null;
  #wakeReader: (() => void) | null = null;
  #wakeWriter: (() => void) | null = null;

  push(chunk: ModelChunk): void {
    if (this.#end) return;
    const last = this.#chunks.at(-1);
    if (last?.type === 'delta' && chunk.type === 'delta' && last.part === chunk.part && chunk.call_id === undefined) {
      // The chunks here belong to the queue until they are taken.
      last.text += chunk.text;
    } else {
      this.#chunks.push(chunk);
    }
    if (chunk.type === 'delta') this.#waiting += chunk.text.length;
    this.#wake();
  }

  /** Nothing follows. What arrived before is still delivered. */
  end(failure?: { error: unknown }): void {
    this.#end ??= failure ?? 'complete';
    this.#wake();
    this.#wakeWriter?.();
  }

  /** The reader is so far behind that the connection has to wait. */
  get isFull(): boolean {
    return this.#waiting > MAX_WAITING && !this.#end;
  }

  /** Resolves when there is room for more. */
  async room(): Promise<void> {
    while (this.isFull) {
      await new Promise<void>((resolve) => {
        this.#wakeWriter = resolve;
      });
    }
  }

  /** The next group, or null after the last one. Only one reader. */
  async take(): Promise<readonly ModelChunk[] | null> {
    if (this.#chunks.length === 0 && !this.#end) {
      await new Promise<void>((resolve) => {
        this.#wakeReader = resolve;
      });
      // The rest of what arrived with it is still on its way through the provider. Never for the first: no delay there.
      if (!this.#isFirst && !this.#end) await new Promise((resolve) => setImmediate(resolve));
    }
    if (this.#chunks.length > 0) {
      const group = this.#chunks;
      this.#chunks = [];
      this.#waiting = 0;
      this.#isFirst = false;
      this.#wakeWriter?.();
      return group;
    }
    if (this.#end !== null && this.#end !== 'complete') throw this.#end.error;
    return null;
  }

  #wake(): void {
    this.#wakeReader?.();
    this.#wakeReader = null;
  }
}
