import { TachoError } from '../../protocol/index.ts';

export interface BufferRead {
  bytes: Buffer;
  /** Where `bytes` begins; later than requested if older bytes are gone. */
  from: number;
  /** The cursor for the next read. */
  next: number;
  /** Bytes between the requested cursor and this one are lost to this reader; null if none are. */
  truncated_before: number | null;
  /** The stream has ended and nothing follows `next`. */
  closed: boolean;
}

export interface ReadOptions {
  after: number;
  maxBytes: number;
  /** How long to wait for data; without it the result may be empty. */
  waitMs?: number;
}

const MIN_RING_BYTES = 4096;

/**
 * The newest bytes of one stream, addressed by their position in the whole stream. It never rejects bytes: the oldest
 * are overwritten, so that a slow reader cannot block the writer. Any number of readers, each with its own cursor.
 */
export class OutputBuffer {
  readonly #capacity: number;
  /** The byte at position p of the stream is at p modulo the ring's length. Grows up to the capacity as needed. */
  #ring = Buffer.alloc(0);
  #start = 0;
  #end = 0;
  #closed = false;
  readonly #waiting = new Set<() => void>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Position of the oldest buffered byte. */
  get start(): number {
    return this.#start;
  }

  /** Number of bytes of the stream so far. */
  get end(): number {
    return this.#end;
  }

  get closed(): boolean {
    return this.#closed;
  }

  append(bytes: Uint8Array): void {
    if (bytes.length === 0 || this.#closed) return;
    const kept = bytes.length > this.#capacity ? bytes.subarray(bytes.length - this.#capacity) : bytes;
    const keptFrom = this.#end + bytes.length - kept.length;
    this.#makeRoom(Math.min(this.#capacity, this.#end - this.#start + bytes.length));
    this.#put(kept, keptFrom);
    this.#end += bytes.length;
    this.#start = Math.max(this.#start, this.#end - this.#ring.length);
    this.wakeReaders();
  }

  /** No more bytes follow; waiting readers return. */
  close(): void {
    this.#closed = true;
    this.wakeReaders();
  }

  /** Makes waiting readers return now, even without data. */
  wakeReaders(): void {
    for (const wake of this.#waiting) wake();
  }

  async read({ after, maxBytes, waitMs = 0 }: ReadOptions): Promise<BufferRead> {
    if (waitMs > 0 && after === this.#end && !this.#closed) await this.#change(waitMs);
    return this.readNow(after, maxBytes);
  }

  readNow(after: number, maxBytes: number): BufferRead {
    if (after > this.#end) {
      throw new TachoError('INVALID_PARAMS', `the cursor ${after} is beyond the end of the stream`, {
        facts: { after, end: this.#end },
      });
    }
    const from = Math.max(after, this.#start);
    const next = Math.min(this.#end, from + maxBytes);
    return {
      bytes: this.#take(from, next),
      from,
      next,
      truncated_before: from > after ? from : null,
      closed: this.#closed && next === this.#end,
    };
  }

  #makeRoom(wanted: number): void {
    if (wanted <= this.#ring.length) return;
    const length = Math.min(this.#capacity, Math.max(MIN_RING_BYTES, this.#ring.length * 2, wanted));
    const held = this.#take(this.#start, this.#end);
    // Not zeroed: only bytes that were written are ever read.
    this.#ring = Buffer.allocUnsafeSlow(length);
    this.#put(held, this.#start);
  }

  #put(bytes: Uint8Array, position: number): void {
    const at = position % this.#ring.length;
    const first = Math.min(bytes.length, this.#ring.length - at);
    this.#ring.set(first === bytes.length ? bytes : bytes.subarray(0, first), at);
    if (first < bytes.length) this.#ring.set(bytes.subarray(first), 0);
  }

  #take(from: number, to: number): Buffer {
    const taken = Buffer.allocUnsafe(to - from);
    if (taken.length === 0) return taken;
    const at = from % this.#ring.length;
    const first = this.#ring.copy(taken, 0, at, Math.min(this.#ring.length, at + taken.length));
    this.#ring.copy(taken, first, 0, taken.length - first);
    return taken;
  }

  #change(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, waitMs);
      this.#waiting.add(wake);
    });
  }
}
