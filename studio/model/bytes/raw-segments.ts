import type { ByteSpan } from './raw-ranges.ts';

/**
 * How bytes are shown. `text`: as their characters. `control`: control bytes and escape sequences, one shown character
 * for each byte. `invisible`: a character that is invisible or would reverse the text direction; by its name.
 * `invalid`: a byte that is not valid UTF-8.
 */
export type SegmentKind = 'text' | 'control' | 'invisible' | 'invalid';

/** Bytes that are shown in the same way. The segments of a window tile it exactly. */
export interface Segment extends ByteSpan {
  kind: SegmentKind;
  shown: string;
}

const LINE_END = '↵';
const ESCAPE = 0x1b;
/** For printable bytes only, for which all these encodings agree. */
const ASCII = new TextDecoder('latin1');
/** A longer one is not a sequence but a stray escape. */
const MAX_SEQUENCE = 64;

/** Format characters, separators and other spaces that look alike. */
const INVISIBLE =
  /\p{Cf}|\p{Zl}|\p{Zp}|\p{Variation_Selector}|[\u00a0\u115f\u1160\u2000-\u200f\u202f\u205f\u3000\u3164\uffa0]|\u034f|\u17b4|\u17b5/u;

/** Splits bytes into segments; `base` is the position of the first one in its stream. Lines end after a line feed. */
export function* segmentsOf(bytes: Uint8Array, base: number): Generator<Segment> {
  let textFrom = 0;
  let text = '';
  let at = 0;
  while (at < bytes.length) {
    const run = printableEnd(bytes, at);
    if (run > at) {
      text += ASCII.decode(bytes.subarray(at, run));
      at = run;
      continue;
    }
    const byte = bytes[at]!;
    const character = byte < 0x80 ? null : readCharacter(bytes, at);
    const special = specialAt(bytes, at, character);
    if (special === null) {
      text += character!;
      at += byteLength(character!);
      continue;
    }
    if (text !== '') yield { kind: 'text', from: base + textFrom, to: base + at, shown: text };
    yield { kind: special.kind, from: base + at, to: base + at + special.length, shown: special.shown };
    at += special.length;
    textFrom = at;
    text = '';
  }
  if (text !== '') yield { kind: 'text', from: base + textFrom, to: base + at, shown: text };
}

export function endsLine({ kind, shown }: Segment): boolean {
  return kind === 'control' && shown === LINE_END;
}

/** Length of a text in UTF-8 bytes. */
export function byteLength(text: string): number {
  let length = 0;
  for (const character of text) {
    const code = character.codePointAt(0)!;
    length += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return length;
}

/** Where a window may begin or end without cutting a character: the edges move inwards by at most three bytes. */
export function wholeCharacters(bytes: Uint8Array): ByteSpan {
  let from = 0;
  while (from < Math.min(3, bytes.length) && isContinuation(bytes[from]!)) from++;
  let start = bytes.length - 1;
  while (start > from && start > bytes.length - 4 && isContinuation(bytes[start]!)) start--;
  const needed = start >= from && start >= 0 ? sequenceLength(bytes[start]!) : 0;
  return { from, to: needed > bytes.length - start ? start : bytes.length };
}

function printableEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at]! >= 0x20 && bytes[at]! < 0x7f) at++;
  return at;
}

type Special = { kind: SegmentKind; shown: string; length: number };

function specialAt(bytes: Uint8Array, at: number, character: string | null): Special | null {
  const byte = bytes[at]!;
  if (byte < 0x80) return byte === ESCAPE ? escapeAt(bytes, at) : { kind: 'control', shown: symbolOf(byte), length: 1 };
  if (character === null) return { kind: 'invalid', shown: `\\x${byte.toString(16)}`, length: 1 };
  const code = character.codePointAt(0)!;
  if (code >= 0xa0 && !INVISIBLE.test(character)) return null;
  const name = `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  return { kind: 'invisible', shown: name, length: byteLength(character) };
}

/** `␛[32m`: a complete control sequence, or the escape alone. */
function escapeAt(bytes: Uint8Array, at: number): Special {
  let end = at + 1;
  if (bytes[end] === 0x5b) {
    end++;
    while (end < bytes.length && end - at < MAX_SEQUENCE && bytes[end]! >= 0x20 && bytes[end]! < 0x40) end++;
    const final = bytes[end];
    end = final !== undefined && final >= 0x40 && final < 0x7f ? end + 1 : at + 1;
  }
  const rest = String.fromCharCode(...bytes.subarray(at + 1, end));
  return { kind: 'control', shown: `␛${rest}`, length: end - at };
}

/** Symbols for the frequent ones, which every font has. */
const SYMBOLS = new Map([
  [0x09, '→'],
  [0x0a, LINE_END],
  [0x0d, '←'],
  [0x7f, '␡'],
]);

function symbolOf(byte: number): string {
  return SYMBOLS.get(byte) ?? String.fromCharCode(0x2400 + byte);
}

/** The character that begins here; null if the bytes are not valid. */
function readCharacter(bytes: Uint8Array, at: number): string | null {
  const length = sequenceLength(bytes[at]!);
  if (length < 2 || at + length > bytes.length) return null;
  let code = bytes[at]! & (0x7f >> length);
  for (let next = 1; next < length; next++) {
    const byte = bytes[at + next]!;
    if (!isContinuation(byte)) return null;
    code = (code << 6) | (byte & 0x3f);
  }
  const least = [0, 0, 0x80, 0x800, 0x10000][length]!;
  const isCharacter = code >= least && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : null;
}

function sequenceLength(byte: number): number {
  if (byte < 0x80) return 1;
  if (byte < 0xc0) return 0;
  return byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : byte < 0xf8 ? 4 : 0;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
