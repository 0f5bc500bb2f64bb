import type { OutputStream, Redactions } from '../../protocol/index.ts';

/** A half-open range of bytes. */
export interface ByteSpan {
  from: number;
  to: number;
}

const STAR = 0x2a;

/** Where bytes of one stream were masked; overlapping ranges count once. */
export class MaskedRanges {
  /** In order, apart from each other. */
  readonly #spans: ByteSpan[] = [];

  constructor(spans: Iterable<ByteSpan> = []) {
    for (const span of [...spans].sort((one, other) => one.from - other.from)) this.add(span);
  }

  add({ from, to }: ByteSpan): void {
    if (from >= to) return;
    let first = this.#spans.length;
    while (first > 0 && this.#spans[first - 1]!.to >= from) first--;
    let last = first;
    const joined = { from, to };
    for (; last < this.#spans.length && this.#spans[last]!.from <= to; last++) {
      joined.from = Math.min(joined.from, this.#spans[last]!.from);
      joined.to = Math.max(joined.to, this.#spans[last]!.to);
    }
    this.#spans.splice(first, last - first, joined);
  }

  /** How many bytes of a range were masked. */
  count({ from, to }: ByteSpan): number {
    let masked = 0;
    for (const span of this.#within(from, to)) masked += Math.min(span.to, to) - Math.max(span.from, from);
    return masked;
  }

  /** The bytes that begin at `from` as parsers saw them: a copy, unless nothing was masked. */
  mask<B extends Uint8Array>(bytes: B, from: number): B {
    let masked = bytes;
    for (const span of this.#within(from, from + bytes.length)) {
      // A buffer's own `slice` does not copy.
      if (masked === bytes) masked = Uint8Array.prototype.slice.call(bytes) as B;
      masked.fill(STAR, Math.max(span.from - from, 0), Math.min(span.to - from, bytes.length));
    }
    return masked;
  }

  *#within(from: number, to: number): Generator<ByteSpan> {
    let [low, high] = [0, this.#spans.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#spans[middle]!.to <= from) low = middle + 1;
      else high = middle;
    }
    for (let at = low; at < this.#spans.length && this.#spans[at]!.from < to; at++) yield this.#spans[at]!;
  }
}

/** The redactions of one stream of an attempt. */
export function maskedRangesOf(ranges: Redactions['ranges'], stream: OutputStream): MaskedRanges {
  const own = ranges.filter((range) => range.stream === stream);
  return new MaskedRanges(own.map(({ byte_from, byte_to }) => ({ from: byte_from, to: byte_to })));
}
