import type { JournalLine } from '../../journal/index.ts';
import type { EventSource } from './event-source.ts';
import { LiveBatch } from './live-batch.ts';

/** How much of the events is kept for the next reader that comes to the same place. */
const KEPT_BYTES = 4 * 1024 * 1024;
/** Files that are open for reading on, at most; who comes to where none is opens one. */
const MOST_PLACES = 8;
/** What nobody has asked for in this time is given back. */
const IDLE_MS = 250;

/** A reading of the source that stands somewhere. */
interface Place {
  batches: AsyncIterator<JournalLine[]>;
  /** The read that is under way from here, for all who wait here. */
  coming: Promise<LiveBatch | null> | null;
}

/** What is on disk, read and made into frames once for all readers that are at about the same place. */
export class FramePages {
  readonly #source: EventSource;
  /** The one that was asked for last comes last. */
  readonly #pages = new Set<LiveBatch>();
  /** By the last event before it. */
  readonly #places = new Map<number, Place>();
  #idle: NodeJS.Timeout | undefined;

  constructor(source: EventSource) {
    this.#source = source;
  }

  /** Events of which the first one after `seq` is one; null when there is none by now. */
  async after(seq: number): Promise<LiveBatch | null> {
    this.#stayAwhile();
    const page = this.#find(seq);
    if (page !== null) return page;
    const shared = this.#places.get(seq)?.coming;
    // One that was under way says what there is, but not that there is no more: it may have looked before we asked.
    return (shared && (await shared)) || this.#read(seq);
  }

  close(): void {
    clearTimeout(this.#idle);
    this.#pages.clear();
    for (const seq of [...this.#places.keys()]) this.#leave(seq);
  }

  #find(seq: number): LiveBatch | null {
    for (const page of this.#pages) {
      if (page.firstSeq > seq + 1 || page.lastSeq <= seq) continue;
      this.#pages.delete(page);
      this.#pages.add(page);
      return page;
    }
    return null;
  }

  #read(seq: number): Promise<LiveBatch | null> {
    const open = this.#places.get(seq);
    const place =
      open?.coming === null ? open : { batches: this.#source.read(seq)[Symbol.asyncIterator](), coming: null };
    place.coming = this.#readOn(seq, place);
    this.#places.set(seq, place);
    return place.coming;
  }

  async #readOn(seq: number, place: Place): Promise<LiveBatch | null> {
    let page: LiveBatch | null = null;
    try {
      const { done, value } = await place.batches.next();
      if (!done) page = new LiveBatch(value, this.#source);
      return page;
    } finally {
      // One that was left meanwhile has ended, and would say that there is no more.
      const held = this.#places.get(seq) === place;
      if (held) this.#places.delete(seq);
      if (page !== null) {
        this.#keep(page);
        place.coming = null;
        if (held && !this.#places.has(page.lastSeq)) this.#stand(page.lastSeq, place);
        else void place.batches.return?.();
      }
    }
  }

  #keep(page: LiveBatch): void {
    this.#pages.add(page);
    let kept = 0;
    for (const { bytes } of this.#pages) kept += bytes;
    for (const oldest of this.#pages) {
      if (kept <= KEPT_BYTES || oldest === page) break;
      this.#pages.delete(oldest);
      kept -= oldest.bytes;
    }
  }

  #stand(seq: number, place: Place): void {
    this.#places.set(seq, place);
    for (const [other, { coming }] of this.#places) {
      if (this.#places.size <= MOST_PLACES) break;
      if (coming === null && other !== seq) this.#leave(other);
    }
  }

  #leave(seq: number): void {
    void this.#places.get(seq)?.batches.return?.();
    this.#places.delete(seq);
  }

  #stayAwhile(): void {
    if (this.#idle) this.#idle.refresh();
    else this.#idle = setTimeout(() => this.close(), IDLE_MS).unref();
  }
}
