import type { ByteSpan } from './raw-ranges.ts';
import { wholeCharacters } from './raw-segments.ts';

/** Part of a stream: how much is loaded at a time, and in total. */
export const PART_BYTES = 64 * 1024;
const MAX_BYTES = 4 * PART_BYTES;
const LINE_FEED = 0x0a;

/** The loaded bytes of a stream. */
export interface RawWindow {
  from: number;
  bytes: Uint8Array;
  /** Size of the stream, as far as known. */
  total: number;
  /** Number of the first byte's line; null until lines have been counted. */
  firstLine: number | null;
}

/** What to load for showing a range: most of it after its beginning. */
export function spanAround(byte: number): ByteSpan {
  const from = Math.max(0, byte - PART_BYTES / 4);
  return { from, to: from + PART_BYTES };
}

export function endOf({ from, bytes }: RawWindow): number {
  return from + bytes.length;
}

/** A first window, without partial characters. */
export function windowOf(from: number, bytes: Uint8Array, total: number): RawWindow {
  const whole = wholeCharacters(bytes);
  const start = from === 0 ? 0 : whole.from;
  const end = from + bytes.length >= total ? bytes.length : whole.to;
  const kept = bytes.subarray(start, end);
  return { from: from + start, bytes: kept, total, firstLine: null };
}

/** The window with line numbers, from a byte whose line is known. */
export function numbered(window: RawWindow, byte: number, line: number | null): RawWindow {
  if (line === null) return window;
  return { ...window, firstLine: line - countLines(window.bytes.subarray(0, byte - window.from)) };
}

/** The window with the bytes just before it. Bytes far after them are dropped. */
export function prepend(window: RawWindow, bytes: Uint8Array): RawWindow {
  const from = window.from - bytes.length;
  const start = from === 0 ? 0 : wholeCharacters(bytes).from;
  const added = bytes.subarray(start);
  const joined = join(added, window.bytes);
  const kept = joined.subarray(0, MAX_BYTES);
  const end = kept.length === joined.length ? kept.length : wholeCharacters(kept).to;
  const firstLine = window.firstLine === null ? null : window.firstLine - countLines(added);
  return { ...window, from: from + start, bytes: kept.subarray(0, end), firstLine };
}

/** The window with the bytes just after it. Bytes far before them are dropped. */
export function append(window: RawWindow, bytes: Uint8Array, total: number): RawWindow {
  const joined = join(window.bytes, bytes);
  const end = window.from + joined.length >= total ? joined.length : wholeCharacters(joined).to;
  const whole = joined.subarray(0, end);
  const surplus = Math.max(0, whole.length - MAX_BYTES);
  const cut = surplus === 0 ? 0 : surplus + wholeCharacters(whole.subarray(surplus, surplus + 4)).from;
  const firstLine = window.firstLine === null ? null : window.firstLine + countLines(whole.subarray(0, cut));
  return { from: window.from + cut, bytes: whole.subarray(cut), total, firstLine };
}

function join(one: Uint8Array, other: Uint8Array): Uint8Array {
  const joined = new Uint8Array(one.length + other.length);
  joined.set(one);
  joined.set(other, one.length);
  return joined;
}

function countLines(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (byte === LINE_FEED) count++;
  return count;
}
