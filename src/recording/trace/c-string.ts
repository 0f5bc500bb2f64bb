/** One quoted string as the tracer prints it, decoded to bytes. */
export interface TracedString {
  bytes: Buffer;
  /** True if the tracer printed only the beginning (`"…"...`). */
  truncated: boolean;
}

const BACKSLASH = 0x5c;

/** Control characters that the tracer writes as a letter; all others are octal or hexadecimal. */
const LETTER_ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, e: 27 };

/** Reads the string that begins with the quote at `from`; null if it has no end. */
export function readCString(text: string, from: number): TracedString | null {
  const close = closingQuote(text, from);
  if (close < 0) return null;
  return { bytes: decodeCString(text.slice(from + 1, close)), truncated: text.startsWith('...', close + 1) };
}

/**
 * Index of the quote that ends the string beginning at `from`, or -1. Jumps from quote to quote, because strings may be
 * long.
 */
export function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (at - 1 - backslashes > from && text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at;
  }
  return -1;
}

/** The bytes of the inside of a quoted string. The text is Latin-1: one character is one byte of the trace. */
export function decodeCString(text: string): Buffer {
  if (!text.includes('\\')) return Buffer.from(text, 'latin1');
  const bytes = Buffer.allocUnsafe(text.length);
  let length = 0;
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code !== BACKSLASH || at + 1 === text.length) {
      bytes[length++] = code;
      at++;
      continue;
    }
    const decoded = readEscape(text, at + 1);
    bytes[length++] = decoded.byte;
    at = decoded.end;
  }
  return bytes.subarray(0, length);
}

function readEscape(text: string, at: number): { byte: number; end: number } {
  const first = octalDigit(text, at);
  if (first >= 0) {
    let byte = first;
    let end = at + 1;
    // At most three digits, and never more than one byte: `\1012` is `A2`, `\777` is `\77` and `7`.
    while (end < at + 3 && octalDigit(text, end) >= 0 && byte * 8 + octalDigit(text, end) <= 0xff) {
      byte = byte * 8 + octalDigit(text, end++);
    }
    return { byte, end };
  }
  const letter = text[at] as string;
  if (letter === 'x') {
    const digits = /^[0-9a-fA-F]{1,2}/.exec(text.slice(at + 1, at + 3))?.[0];
    if (digits) return { byte: Number.parseInt(digits, 16), end: at + 1 + digits.length };
  }
  return { byte: LETTER_ESCAPES[letter] ?? letter.charCodeAt(0), end: at + 1 };
}

function octalDigit(text: string, at: number): number {
  const digit = text.charCodeAt(at) - 0x30;
  return digit >= 0 && digit <= 7 ? digit : -1;
}
