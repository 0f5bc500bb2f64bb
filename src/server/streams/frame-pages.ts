import type { JournalLine, ReadBuffer } from '../../journal/index.ts';
import type { EventSource } from './event-source.ts';
import type { FrameBuffers } from './frame-buffers.ts';
import { type FramePiece, framePieces } from './frame-piece.ts';

/** How much of the events is kept for the next reader that comes to the same place. */
const KEPT_BYTES = 4 * 1024 * 1024;
/** Files that are open for reading on, at most; who comes to where none is opens one. */
const MOST_PLACES = 8;
/** What nobody has asked for in this time is given back. */
const IDLE_MS = 250;

/** A reading of the source that stands somewhere. */
interface Place {
  batches: AsyncIterator<JournalLine[]>;
  /** Null when it is the place's no more. */
  reading: ReadBuffer | null;
  /** The read that is under way from here, for all who wait here; false when there was no more. */
  coming: Promise<boolean> | null;
}

/** What is on disk, read and made into frames once for all readers that are at about the same place. */
export class FramePages {
  readonly #source: EventSource;
  readonly #buffers: FrameBuffers;
  /** The one that was asked for last comes last. */
  readonly #pages = new Set<FramePiece>();
  /** By the last event before it. */
  readonly #places = new Map<number, Place>();
  /** From places that were left, for new ones. */
  readonly #spare: ReadBuffer[] = [];
  #idle: NodeJS.Timeout | undefined;

  constructor(source: EventSource, buffers: FrameBuffers) {
    this.#source = source;
    this.#buffers = buffers;
  }

  /** Events of which the first one after `seq` is one, for the caller to release; null when there is none by now. */
  async after(seq: number): Promise<FramePiece | null> {
    this.#stayAwhile();
    for (;;) {
      const page = this.#find(seq);
      // Held before anybody else gets a turn, who might make room for other pages.
      if (page !== null) return page.hold();
      const shared = this.#places.get(seq)?.coming;
      // One that was under way says what there is, but not that there is no more: it may have looked before we asked.
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
    place.coming = this.#readOn(seq, place);
    this.#places.set(seq, place);
    return place.coming;
  }

  async #readOn(seq: number, place: Place): Promise<boolean> {
    let pages: FramePiece[] = [];
    try {
      const { done, value } = await place.batches.next();
      if (done) void this.#end(place);
      else pages = framePieces(value, this.#source, this.#buffers);
      return pages.length > 0;
    } finally {
      // One that was left meanwhile has ended, and would say that there is no more.
      const held = this.#places.get(seq) === place;
      if (held) this.#places.delete(seq);
      const last = pages.at(-1);
      if (last) {
        this.#keep(pages);
        place.coming = null;
        if (held && !this.#places.has(last.lastSeq)) this.#stand(last.lastSeq, place);
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
    // What is under way still reads into it.
    await place.batches.return?.();
    if (reading !== null && this.#spare.length < MOST_PLACES) this.#spare.push(reading);
  }

  #keep(pages: readonly FramePiece[]): void {
    for (const page of pages) this.#pages.add(page);
    let kept = 0;
    for (const { memoryBytes } of this.#pages) kept += memoryBytes;
    for (const oldest of this.#pages) {
      if (kept <= KEPT_BYTES || oldest === pages[0]) break;
      this.#drop(oldest);
      kept -= oldest.memoryBytes;
    }
  }

  #drop(page: FramePiece): void {
    this.#pages.delete(page);
    page.release();
  }

  #stand(seq: number, place: Place): void {
    this.#places.set(seq, place);
    for (const [other, { coming }] of this.#places) {
      if (this.#places.size <= MOST_PLACES) break;
      if (coming === null && other !== seq) this.#leave(other);
    }
  }

  #leave(seq: number): void {
    const place = this.#places.get(seq);
    this.#places.delete(seq);
    if (place) void this.#end(place);
  }

  #stayAwhile(): void {
    if (this.#idle) this.#idle.refresh();
    else this.#idle = setTimeout(() => this.close(), IDLE_MS).unref();
  }
}
