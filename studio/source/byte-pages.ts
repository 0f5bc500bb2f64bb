import type { RawPart } from '../../src/client/index.ts';
import { joinBytes } from '../model/bytes/join-bytes.ts';

const PAGE_BYTES = 256 * 1024;
/** Pages used repeatedly while scrubbing; a whole long recording would be too much. */
const MAX_PAGES = 24;

type ReadRange = (window: { from: number; to: number }) => Promise<RawPart>;

/** The bytes of one stream, loaded in pages; the most recently used ones are kept. */
export class BytePages {
  readonly #read: ReadRange;
  /** Most recently used last. */
  readonly #pages = new Map<number, Promise<Uint8Array>>();

  constructor(read: ReadRange) {
    this.#read = read;
  }

  /** Fewer bytes than requested if the stream has no more yet. */
  async read(from: number, to: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for (let at = from; at < to; ) {
      const number = Math.floor(at / PAGE_BYTES);
      const start = number * PAGE_BYTES;
      const page = await this.#page(number, Math.min(to - start, PAGE_BYTES));
      const part = page.subarray(at - start, to - start);
      if (part.length === 0) break;
      parts.push(part);
      at += part.length;
    }
    return parts.length === 1 ? parts[0]! : joinBytes(parts);
  }

  /** At least `least` bytes of a page, if it has as many: the stream may have grown since it was loaded. */
  async #page(number: number, least: number): Promise<Uint8Array> {
    const kept = await this.#pages.get(number);
    if (kept && kept.length >= least) {
      const page = this.#pages.get(number)!;
      this.#pages.delete(number);
      this.#pages.set(number, page);
      return kept;
    }
    const from = number * PAGE_BYTES + (kept?.length ?? 0);
    const more = this.#read({ from, to: (number + 1) * PAGE_BYTES }).then(({ bytes }) =>
      kept ? joinBytes([kept, bytes]) : bytes,
    );
    this.#pages.set(number, more);
    // A failed page is loaded again the next time.
    more.catch(() => this.#pages.delete(number));
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= MAX_PAGES) break;
      this.#pages.delete(oldest);
    }
    return more;
  }
}
