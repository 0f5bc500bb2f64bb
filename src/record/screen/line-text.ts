import type { WriteText } from './screen-reader.ts';

const LINE_FEED = 0x0a;
/** How much is collected before the older part of it is passed on. */
const COLLECTED_BYTES = 256 * 1024;
/** More than a screen holds: of a line without an end, the older part is passed on. */
const MAX_TAIL_BYTES = 64 * 1024;

/** A byte order mark within output is a character like others. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Passes on text that only appends lines, but holds back a screen of it, which a later sequence may change. */
export class LineText {
  readonly #write: WriteText;
  #buffer = new Uint8Array(2 * COLLECTED_BYTES);
  #length = 0;
  /** Where text of another time begins. */
  #times: { from: number; time: number }[] = [];

  constructor(write: WriteText) {
    this.#write = write;
  }

  get isAtLineStart(): boolean {
    return this.#length === 0 || this.#buffer[this.#length - 1] === LINE_FEED;
  }

  add(bytes: Uint8Array, rows: number, time: number): void {
    for (let at = 0; at < bytes.length; at += COLLECTED_BYTES) {
      const part = bytes.subarray(at, at + COLLECTED_BYTES);
      if (this.#times.at(-1)?.time !== time) this.#times.push({ from: this.#length, time });
      this.#buffer.set(part, this.#length);
      this.#length += part.length;
      if (this.#length > COLLECTED_BYTES) this.#pass(this.#tailStart(rows));
    }
  }

  /** The last lines, with the time of the newest; they are not passed on. */
  takeHeld(): { bytes: Uint8Array; time: number } {
    const held = { bytes: this.#buffer.slice(0, this.#length), time: this.#times.at(-1)?.time ?? 0 };
    this.#length = 0;
    this.#times = [];
    return held;
  }

  end(): void {
    this.#pass(this.#length);
  }

  /** Where the last lines begin, as many as a screen has rows. */
  #tailStart(rows: number): number {
    const lowest = this.#length - MAX_TAIL_BYTES;
    let start = this.#length;
    for (let lines = 0; lines <= rows && start > lowest; lines++) {
      start = this.#buffer.lastIndexOf(LINE_FEED, start - 1);
      if (start < 0) break;
    }
    if (start >= lowest) return start + 1;
    let cut = lowest;
    while (cut < this.#length && (this.#buffer[cut]! & 0xc0) === 0x80) cut++; // Not within a character.
    return cut;
  }

  #pass(to: number): void {
    for (const [index, { from, time }] of this.#times.entries()) {
      if (from >= to) break;
      const end = Math.min(to, this.#times[index + 1]?.from ?? to);
      this.#write(decoder.decode(this.#buffer.subarray(from, end)), time);
    }
    this.#times = this.#times
      .filter((_, index) => (this.#times[index + 1]?.from ?? this.#length) > to)
      .map(({ from, time }) => ({ from: Math.max(0, from - to), time }));
    this.#buffer.copyWithin(0, to, this.#length);
    this.#length -= to;
  }
}
