import { isUtf8 } from 'node:buffer';
import type { Encoding } from '../protocol/terminal/index.ts';

export interface EncodedBytes {
  data: string;
  encoding: Encoding;
}

/** Shorter than that it hardly matters, and people like to read it. */
const SHORT_BYTES = 1024;
/** Looked at of what is longer. */
const SAMPLES = 1000;

/** Text where the bytes are text, base64 otherwise; or what was asked for. */
export function encodeBytes(bytes: Buffer, asked?: Encoding): EncodedBytes {
  const encoding = asked ?? (isUtf8(bytes) && !isBinary(bytes) ? 'utf8' : 'base64');
  return { data: bytes.toString(encoding), encoding };
}

/**
 * Whether bytes that could be read as text hold so many control characters, such as NUL, that they are none: JSON needs
 * six bytes for each, and base64 is then shorter.
 */
function isBinary(bytes: Buffer): boolean {
  if (bytes.length < SHORT_BYTES) return false;
  // An odd step, so that of what repeats every 4 or 8 bytes not always the same one is looked at.
  const step = Math.ceil(bytes.length / SAMPLES) | 1;
  let seen = 0;
  let control = 0;
  for (let at = 0; at < bytes.length; at += step, seen++) if (isControl(bytes[at]!)) control++;
  return control * 15 > seen;
}

/** Those of terminals, from \b to \r and ESC, are in every text. */
function isControl(byte: number): boolean {
  return byte < 0x20 && !(byte >= 0x08 && byte <= 0x0d) && byte !== 0x1b;
}

export function decodeBytes({ data, encoding }: EncodedBytes): Buffer {
  return Buffer.from(data, encoding);
}

/** How many bytes at the end begin a character that is not complete. */
export function incompleteEnd(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0b1100_0000) === 0b1000_0000) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

/** How many bytes at the beginning are the rest of a character that was cut. */
export function cutBeginning(bytes: Buffer): number {
  let count = 0;
  while (count < Math.min(3, bytes.length) && (bytes[count]! & 0b1100_0000) === 0b1000_0000) count++;
  return count;
}
