import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~';
/** Bytes of one line; its first letter gives their number. */
const LINE_BYTES = 52;

/** The id under which git knows a content. */
export function objectId(content: Buffer): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}

/** A change of bytes, both ways, as `git diff --binary` writes it. */
export function binaryPatch(before: Buffer, after: Buffer): string {
  return `GIT binary patch\n${literal(after)}\n${literal(before)}\n`;
}

/** The whole content, deflated and in base 85. */
function literal(content: Buffer): string {
  const deflated = deflateSync(content);
  const lines = [`literal ${content.length}\n`];
  for (let at = 0; at < deflated.length; at += LINE_BYTES) {
    const piece = deflated.subarray(at, at + LINE_BYTES);
    lines.push(`${lengthLetter(piece.length)}${base85(piece)}\n`);
  }
  return lines.join('');
}

/** A to Z for 1 to 26, a to z for 27 to 52. */
function lengthLetter(length: number): string {
  return String.fromCharCode(length <= 26 ? 0x40 + length : 0x60 + length - 26);
}

/** Four bytes become five digits; the last ones are padded with zeros. */
function base85(bytes: Buffer): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 4) {
    let value = 0;
    for (let byte = 0; byte < 4; byte++) value = value * 256 + (bytes[at + byte] ?? 0);
    let digits = '';
    for (let digit = 0; digit < 5; digit++) {
      digits = DIGITS[value % 85] + digits;
      value = Math.floor(value / 85);
    }
    text += digits;
  }
  return text;
}
