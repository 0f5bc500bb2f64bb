import { closingQuote, decodeCString } from './c-string.ts';

/** The arguments of a call as printed, and where the text after them begins. */
export interface ScannedArguments {
  args: string[];
  /** Index of the closing parenthesis, or the text's length if the tracer was interrupted in the call. */
  end: number;
  closed: boolean;
}

/** A descriptor argument: `1</dev/pts/0<char 136:0>>`, `5<pipe:[28124]>` or a bare `3`. */
export interface Descriptor {
  fd: number;
  /** What the descriptor refers to, or null if the tracer did not print it. */
  path: string | null;
}

// Longer than any kernel path with every byte as an octal escape.
const MAX_DECORATION_LENGTH = 4 * 4096 + 64;

/** Splits a call's arguments, starting at `from` (just after the parenthesis); null if a string in them has no end. */
export function scanArguments(text: string, from: number): ScannedArguments | null {
  const args: string[] = [];
  let start = from;
  let parentheses = 0;
  let brackets = 0;
  // After one decoration without an end, no other is searched, so that hostile text costs one extra pass, not many.
  let decorated = true;
  for (let at = from; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = closingQuote(text, at);
        if (at < 0) return null;
        break;
      case 0x3c: {
        // <
        if (!decorated || at === start || !isWordCharacter(text.charCodeAt(at - 1))) break;
        const end = decorationEnd(text, at);
        if (end < 0) decorated = false;
        else at = end - 1;
        break;
      }
      case 0x28: // (
        parentheses++;
        break;
      case 0x29: // )
        if (parentheses-- > 0) break;
        if (at > start || args.length > 0) args.push(text.slice(start, at));
        return { args, end: at, closed: true };
      case 0x5b: // [
      case 0x7b: // {
        brackets++;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        brackets = Math.max(0, brackets - 1);
        break;
      case 0x2c: // ,
        if (parentheses > 0 || brackets > 0) break;
        args.push(text.slice(start, at));
        start = text.charCodeAt(at + 1) === 0x20 ? at + 2 : at + 1;
        break;
    }
  }
  if (text.length > start) args.push(text.slice(start));
  return { args, end: text.length, closed: false };
}

/** Reads a descriptor argument; null if it is not one. */
export function readDescriptor(argument: string | undefined): Descriptor | null {
  if (argument === undefined) return null;
  const open = argument.indexOf('<');
  const number = open < 0 ? argument.trim() : argument.slice(0, open);
  const fd = number === 'AT_FDCWD' ? -100 : number === '' ? Number.NaN : Number(number);
  if (!Number.isInteger(fd)) return null;
  if (open < 0) return { fd, path: null };
  const end = decorationEnd(argument, open);
  const inside = argument.slice(open + 1, end < 0 ? argument.length : end - 1);
  const path = withoutDevice(inside);
  // Nearly every path is plain text; only the others are decoded.
  return { fd, path: /[\\\x80-\xff]/.test(path) ? decodeCString(path).toString() : path };
}

/** Index just after the `>` that ends the decoration beginning at `open`, or -1. */
function decorationEnd(text: string, open: number): number {
  const limit = Math.min(text.length, open + MAX_DECORATION_LENGTH);
  const isPath = text.charCodeAt(open + 1) === 0x2f;
  let depth = 0;
  for (let at = open; at < limit; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) at++;
    else if (code === 0x3c) depth++;
    else if (code === 0x3e) {
      // The arrow of `TCP:[here->there]` does not end it, nor does a `>` inside an unescaped path.
      if (!isPath && text.charCodeAt(at - 1) === 0x2d) continue;
      if (depth === 1 && !endsArgument(text, at + 1)) continue;
      if (--depth === 0) return at + 1;
    }
  }
  // A path with a single `<` in it, from a tracer that does not escape them.
  for (let at = open; at < limit; at++) {
    if (text.charCodeAt(at) === 0x3e && (text[at + 1] === ',' || text[at + 1] === ')')) return at + 1;
  }
  return -1;
}

function endsArgument(text: string, at: number): boolean {
  return at >= text.length || ',)]} '.includes(text[at] as string);
}

/** `/dev/pts/0<char 136:0>` without its device number. */
function withoutDevice(inside: string): string {
  const device = inside.endsWith('>') ? inside.lastIndexOf('<') : -1;
  return device > 0 && /^<(char|block) /.test(inside.slice(device, device + 7)) ? inside.slice(0, device) : inside;
}

function isWordCharacter(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
}
