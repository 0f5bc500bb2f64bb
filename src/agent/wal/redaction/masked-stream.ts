import { markerOf, type SecretSearch } from './secret-search.ts';

/**
 * Masks a text that arrives in pieces. Holds back what may be the beginning of a secret, which is never longer than the
 * longest one; what it releases is, put together, the mask of the whole text.
 */
export class MaskedStream {
  readonly #current: () => SecretSearch | null;
  /** Not released yet, but for the part that a marker stands for already. */
  #text = '';
  /** The unit before it. */
  #before = '';
  /** How much of the text the last marker covers; null if something else was released after it. */
  #covered: number | null = null;

  /** `current`: the search to use now; null without secrets. */
  constructor(current: () => SecretSearch | null) {
    this.#current = current;
  }

  /** Adds a piece, and returns what can be released. */
  push(piece: string): string {
    return this.#take(piece, { isOpen: true });
  }

  /** The text has ended: returns the rest. */
  flush(): string {
    const rest = this.#take('', { isOpen: false });
    this.#before = '';
    this.#covered = null;
    return rest;
  }

  #take(piece: string, { isOpen }: { isOpen: boolean }): string {
    const text = this.#text + piece;
    if (text === '') return '';
    const search = this.#current();
    const { places, certainTo } = search?.search({ text, before: this.#before, isOpen }) ?? {
      places: [],
      certainTo: text.length,
    };
    let released = '';
    let at = this.#covered ?? 0;
    for (const { from, to, name } of places) {
      if (from >= certainTo) break;
      if (this.#covered !== null && from <= this.#covered) {
        this.#covered = Math.max(this.#covered, to);
      } else {
        released += text.slice(at, from) + markerOf(name);
        this.#covered = to;
      }
      at = this.#covered;
    }
    if (at < certainTo) {
      released += text.slice(at, certainTo);
      this.#covered = null;
    }
    if (this.#covered !== null) this.#covered -= certainTo;
    if (certainTo > 0) this.#before = text[certainTo - 1]!;
    this.#text = text.slice(certainTo);
    return released;
  }
}
