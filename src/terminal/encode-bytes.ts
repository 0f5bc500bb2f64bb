import { isUtf8 } from 'node:buffer';
import type { Encoding } from '../protocol/terminal/index.ts';

export interface EncodedBytes {
  data: string;
  encoding: Encoding;
}

/** Below this size the difference hardly matters, and text is easier to read. */
const SHORT_BYTES = 1024;
/** Number of bytes to sample from longer data. */
const SAMPLES = 1000;

/** As text if the bytes are text, otherwise as base64; or in the requested encoding. */
export function encodeBytes(bytes: Buffer, asked?: Encoding): EncodedBytes {
  const encoding = asked ?? (isUtf8(bytes) && !isBinary(bytes) ? 'utf8' : 'base64');
  return { data: bytes.toString(encoding), encoding };
}

/**
 * Whether valid text contains too many control characters, such as NUL, and counts as binary: JSON needs six bytes for
 * each, so base64 is shorter.
 */
function isBinary(bytes: Buffer): boolean {
  if (bytes.length < SHORT_BYTES) return false;
  // An odd step, so that data that repeats every 4 or 8 bytes is not always sampled at the same position.
  const step = Math.ceil(bytes.length / SAMPLES) | 1;
  let seen = 0;
  let control = 0;
  for (let at = 0; at < bytes.length; at += step, seen++) if (isControl(bytes[at]!)) control++;
  return control * 15 > seen;
}

/** Except those common in terminal text: \b to \r, and ESC. */
function isControl(byte: number): boolean {
  return byte < 0x20 && !(byte >= 0x08 && byte <= 0x0d) && byte !== 0x1b;
}

export function decodeBytes({ data, encoding }: EncodedBytes): Buffer {
  return Buffer.from(data, encoding);
}

/** Number of bytes at the end that begin an incomplete character. */
export function incompleteEnd(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0b1100_0000) === 0b1000_0000) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

/** Number of bytes at the beginning that are the rest of a cut character. */
export function cutBeginning(bytes: Buffer): number {
  let count = 0;
  while (count < Math.min(3, bytes.length) && (bytes[count]! & 0b1100_0000) === 0b1000_0000) count++;
  return count;
}
