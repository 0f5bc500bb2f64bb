import type { JournalLine, ReadBuffer } from '../../journal/index.ts';
import type { EventSource } from './event-source.ts';
import type { FrameBuffers } from './frame-buffers.ts';
import { type FramePiece, framePieces } from './frame-piece.ts';

/** How many bytes of frames are kept for other readers at the same position. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024;
/** Maximum number of files kept open to continue reading; at any other position a file is opened. */
const MAX_PLACES = 8;
/** Idle pages and files are released after this time. */
const IDLE_MS = 250;

/** A read of the source at one position. */
interface Place {
  batches: AsyncIterator<JournalLine[]>;
  /** Null once the place has given it up. */
  reading: ReadBuffer | null;
  /** The pending read from here, shared by all readers here; false if there was nothing more. */
  coming: Promise<boolean> | null;
}

/** Reads from disk and builds frames once for all readers at about the same position. */
export class FramePages {
  readonly #source: EventSource;
  readonly #buffers: FrameBuffers;
  /** Most recently used last. */
  readonly #pages = new Set<FramePiece>();
  /** By the last event before the place. */
  readonly #places = new Map<number, Place>();
  /** Buffers of closed places, for reuse. */
  readonly #spare: ReadBuffer[] = [];
  #idle: NodeJS.Timeout | undefined;

  constructor(source: EventSource, buffers: FrameBuffers) {
    this.#source = source;
    this.#buffers = buffers;
  }

  /** A piece that contains the first event after `seq`, to be released by the caller; null if there is none yet. */
  async after(seq: number): Promise<FramePiece | null> {
    this.#resetIdleTimer();
    for (;;) {
      const page = this.#find(seq);
      // Hold it at once, before another reader can evict it.
      if (page !== null) return page.hold();
      const shared = this.#places.get(seq)?.coming;
      // If a pending read finds nothing, read again: it may have started before this call.
      const found = (shared && (await shared)) || (await this.#read(seq));
      if (!found) return null;
    }
  }

  close(): void {
    clearTimeout(this.#idle);
    for (const page of this.#pages) this.#drop(page);
    for (const seq of [...this.#places.keys()]) this.#leave(seq);
  }

  #find(seq: number): FramePiece | null {
    for (const page of this.#pages) {
      if (page.firstSeq > seq + 1 || page.lastSeq <= seq) continue;
      this.#pages.delete(page);
      this.#pages.add(page);
      return page;
    }
    return null;
  }

  #read(seq: number): Promise<boolean> {
    const open = this.#places.get(seq);
    const place = open?.coming === null ? open : this.#begin(seq);
    place.coming = this.#readNext(seq, place);
    this.#places.set(seq, place);
    return place.coming;
  }

  async #readNext(seq: number, place: Place): Promise<boolean> {
    let pages: FramePiece[] = [];
    try {
      const { done, value } = await place.batches.next();
      if (done) void this.#end(place);
      else pages = framePieces(value, this.#source, this.#buffers);
      return pages.length > 0;
    } finally {
      // A place that was closed meanwhile has ended, and would report the end of the source.
      const held = this.#places.get(seq) === place;
      if (held) this.#places.delete(seq);
      const last = pages.at(-1);
      if (last) {
        this.#keep(pages);
        place.coming = null;
        if (held && !this.#places.has(last.lastSeq)) this.#keepPlace(last.lastSeq, place);
        else void this.#end(place);
      }
    }
  }

  #begin(seq: number): Place {
    const reading = this.#spare.pop() ?? { bytes: null };
    return { batches: this.#source.read(seq, { reuse: reading })[Symbol.asyncIterator](), reading, coming: null };
  }

  async #end(place: Place): Promise<void> {
    const { reading } = place;
    place.reading = null;
    // A pending read still writes into the buffer.
    await place.batches.return?.();
    if (reading !== null && this.#spare.length < MAX_PLACES) this.#spare.push(reading);
  }

  #keep(pages: readonly FramePiece[]): void {
    for (const page of pages) this.#pages.add(page);
    let kept = 0;
    for (const { memoryBytes } of this.#pages) kept += memoryBytes;
    for (const oldest of this.#pages) {
      if (kept <= MAX_KEPT_BYTES || oldest === pages[0]) break;
      this.#drop(oldest);
      kept -= oldest.memoryBytes;
    }
  }

  #drop(page: FramePiece): void {
    this.#pages.delete(page);
    page.release();
  }

  #keepPlace(seq: number, place: Place): void {
    this.#places.set(seq, place);
    for (const [other, { coming }] of this.#places) {
      if (this.#places.size <= MAX_PLACES) break;
      if (coming === null && other !== seq) this.#leave(other);
    }
  }

  #leave(seq: number): void {
    const place = this.#places.get(seq);
    this.#places.delete(seq);
    if (place) void this.#end(place);
  }

  #resetIdleTimer(): void {
    if (this.#idle) this.#idle.refresh();
    else this.#idle = setTimeout(() => this.close(), IDLE_MS).unref();
  }
}
