import { isUtf8 } from 'node:buffer';

/** Bytes looked at for a NUL, as git does: a binary file has one early. */
const NUL_WINDOW = 8_192;

/** Text is what a diff can show: no early NUL, valid UTF-8. The last character may be cut. */
export function isText(bytes: Uint8Array): boolean {
  if (bytes.subarray(0, NUL_WINDOW).includes(0)) return false;
  return isUtf8(bytes) || isUtf8(withoutCutCharacter(bytes));
}

function withoutCutCharacter(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0b1100_0000) === 0b1000_0000) continue;
    const announced = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return announced > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}
