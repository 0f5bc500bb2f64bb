import type { ByteRange, RawRef, RawStream } from '../../protocol/index.ts';

/**
 * The bytes of each stream that are referenced by an event. Ranges mostly arrive in order, so a list of gaps stays
 * short.
 */
export class Coverage {
  readonly #covered = new Map<RawStream, { from: number; to: number }[]>();

  add(ref: RawRef): void {
    if (ref === null) return;
    for (const range of Array.isArray(ref) ? ref : [ref]) this.#addRange(range);
  }

  /** Bytes covered in these streams (default: all), each counted once. */
  bytes(...streams: readonly RawStream[]): number {
    let sum = 0;
    for (const [stream, spans] of this.#covered) {
      if (streams.length > 0 && !streams.includes(stream)) continue;
      for (const span of spans) sum += span.to - span.from;
    }
    return sum;
  }

  #addRange({ stream, byte_from, byte_to }: ByteRange): void {
    const spans = this.#covered.get(stream) ?? [];
    if (spans.length === 0) this.#covered.set(stream, spans);
    const last = spans.at(-1);
    if (last && byte_from >= last.from && byte_from <= last.to) {
      last.to = Math.max(last.to, byte_to);
      return;
    }
    spans.push({ from: byte_from, to: byte_to });
    if (last && byte_from < last.from) this.#covered.set(stream, merge(spans));
  }
}

function merge(spans: { from: number; to: number }[]): { from: number; to: number }[] {
  spans.sort((one, other) => one.from - other.from);
  const merged: { from: number; to: number }[] = [];
  for (const span of spans) {
    const last = merged.at(-1);
    if (last && span.from <= last.to) last.to = Math.max(last.to, span.to);
    else merged.push({ ...span });
  }
  return merged;
}
