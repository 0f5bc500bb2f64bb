import { isUtf8 } from 'node:buffer';
import type { Encoding } from '../protocol/terminal-rpc.ts';

export interface EncodedBytes {
  data: string;
  encoding: Encoding;
}

/** Text where the bytes are text, base64 otherwise; or what was asked for. */
export function encodeBytes(bytes: Buffer, asked?: Encoding): EncodedBytes {
  const encoding = asked ?? (isUtf8(bytes) ? 'utf8' : 'base64');
  return { data: bytes.toString(encoding), encoding };
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
