import type { OutputStream, Redactions } from '../../protocol/index.ts';
import { type ByteSpan, MaskedRanges } from '../../record/index.ts';
import { SecretFinder } from '../../record/output/secret-finder.ts';

/** Bytes of one stream, all read at one time. */
export interface Segment {
  stream: OutputStream;
  bytes: Buffer;
  time: number;
  /** Offset of the first byte in the stream's payload. */
  from: number;
}

/** The state of one stream. */
interface StreamState {
  /** Number of bytes so far. */
  length: number;
  /** The end of the stream, unmasked, that may be the beginning of a secret. */
  tail: Buffer;
  /** The last masked range. */
  blank: ByteSpan;
  masked: MaskedRanges;
}

const STAR = 0x2a;

/** Hides bytes from parsers. Segments keep their order. */
export interface Mask {
  /** When the oldest held-back byte was read; null if none is held back. */
  readonly heldSince: number | null;
  /** Segments that may go to the parser now. */
  push(stream: OutputStream, bytes: Buffer, time: number): Segment[];
  /** Stops holding back bytes read until `time`: returns them unmasked, with everything that waited for them. */
  release(time: number): Segment[];
  /** How many bytes of a range, of those that went to the parser, were masked. Offsets are those of segments. */
  maskedBytes(stream: OutputStream, range: ByteSpan): number;
}

/**
 * Masks the values of secrets, same length, in the bytes for parsers. A secret may be split between chunks, so an end
 * of a stream that could be the beginning of one is held back – with everything read later, because parsers see bytes
 * in the order of reading – until the next bytes decide, or `release` stops waiting.
 */
export class SecretMask implements Mask {
  readonly ranges: Redactions['ranges'] = [];
  /** Null without secrets. */
  readonly #finder: SecretFinder | null;
  readonly #queue: Segment[] = [];
  readonly #streams: Record<OutputStream, StreamState> = { stdout: newStream(), stderr: newStream(), pty: newStream() };

  constructor(secrets: readonly { name: string; value: string }[]) {
    const spelled = secrets
      .filter(({ value }) => value !== '')
      .flatMap(({ name, value }) => spellings(value).map((spelling) => ({ name, units: Buffer.from(spelling) })));
    this.#finder = spelled.length > 0 ? new SecretFinder(spelled) : null;
  }

  get heldSince(): number | null {
    return this.#queue[0]?.time ?? null;
  }

  /** Without secrets the segments are views of the argument. */
  push(stream: OutputStream, bytes: Buffer, time: number): Segment[] {
    const state = this.#streams[stream];
    const from = state.length;
    state.length += bytes.length;
    if (!this.#finder) return [{ stream, bytes, time, from }];
    this.#queue.push({ stream, bytes: Buffer.from(bytes), time, from });
    this.#search(stream, bytes, this.#finder);
    return this.#takeCertain();
  }

  release(time: number): Segment[] {
    const given: Segment[] = [];
    while (this.#queue.length > 0 && this.#queue[0]!.time <= time) given.push(this.#queue.shift()!);
    return [...given, ...this.#takeCertain()];
  }

  maskedBytes(stream: OutputStream, range: ByteSpan): number {
    return this.#streams[stream].masked.count(range);
  }

  #search(stream: OutputStream, bytes: Buffer, finder: SecretFinder): void {
    const state = this.#streams[stream];
    const all = state.tail.length > 0 ? Buffer.concat([state.tail, bytes]) : bytes;
    const start = state.length - all.length;
    for (const { from, to, name } of finder.places(all)) {
      // A match that ends in the tail was found when the tail was read.
      if (to > state.tail.length) this.#blank(stream, start + from, start + to, name);
    }
    state.tail = Buffer.from(all.subarray(all.length - finder.possibleStart(all)));
  }

  /** Masks the part of the range that was not released yet; a released part is not reported as masked. */
  #blank(stream: OutputStream, from: number, to: number, name: string): void {
    const { blank } = this.#streams[stream];
    const own = this.#queue.filter((segment) => segment.stream === stream);
    const first = Math.max(from, own[0]!.from);
    if (first >= blank.from && to <= blank.to) return;
    for (const { bytes, from: offset } of own) {
      bytes.fill(STAR, clamp(first - offset, bytes.length), clamp(to - offset, bytes.length));
    }
    blank.from = first > blank.to ? first : Math.min(blank.from, first);
    blank.to = Math.max(blank.to, to);
    this.ranges.push({ stream, byte_from: first, byte_to: to, name });
    this.#streams[stream].masked.add({ from: first, to });
  }

  /** The segments before the first byte that may still be part of a secret. */
  #takeCertain(): Segment[] {
    const certain: Segment[] = [];
    while (this.#queue.length > 0) {
      const segment = this.#queue[0]!;
      const { length, tail, blank } = this.#streams[segment.stream];
      const tailFrom = length - tail.length;
      // Masked bytes need not be held back.
      const heldFrom = tailFrom >= blank.from ? Math.max(tailFrom, blank.to) : tailFrom;
      const ready = clamp(heldFrom - segment.from, segment.bytes.length);
      if (ready > 0 || segment.bytes.length === 0)
        certain.push({ ...segment, bytes: segment.bytes.subarray(0, ready) });
      if (ready < segment.bytes.length) {
        this.#queue[0] = { ...segment, bytes: segment.bytes.subarray(ready), from: segment.from + ready };
        return certain;
      }
      this.#queue.shift();
    }
    return certain;
  }
}

function newStream(): StreamState {
  return { length: 0, tail: Buffer.alloc(0), blank: { from: 0, to: 0 }, masked: new MaskedRanges() };
}

/** A terminal that turns LF into CR LF changes a value with several lines. */
function spellings(value: string): string[] {
  return [...new Set([value, value.replaceAll(/\r?\n/g, '\r\n')])];
}

function clamp(value: number, most: number): number {
  return Math.max(0, Math.min(value, most));
}
