import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';

const DIGITS = Buffer.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~');
/** Bytes per line; the first letter of a line gives their number. */
const LINE_BYTES = 52;
/** A line with its letter, five digits for every four bytes, and its line feed. */
const LINE_LETTERS = 1 + (LINE_BYTES / 4) * 5 + 1;

/** The git object id of a content. */
export function objectId(content: Buffer): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}

/** A binary change in both directions, as `git diff --binary` writes it. */
export function binaryPatch(before: Buffer, after: Buffer): Buffer {
  const end = Buffer.from('\n');
  return Buffer.concat([Buffer.from('GIT binary patch\n'), ...literal(after), end, ...literal(before), end]);
}

/** The whole content, deflated and in base 85. */
function literal(content: Buffer): Buffer[] {
  const deflated = deflateSync(content);
  const letters = Buffer.allocUnsafe(Math.ceil(deflated.length / LINE_BYTES) * LINE_LETTERS);
  let end = 0;
  for (let at = 0; at < deflated.length; at += LINE_BYTES) {
    end = writeLine(deflated.subarray(at, at + LINE_BYTES), letters, end);
  }
  return [Buffer.from(`literal ${content.length}\n`), letters.subarray(0, end)];
}

/** Four bytes become five digits; the last ones are padded with zeros. Returns where the line ends. */
function writeLine(bytes: Buffer, into: Buffer, start: number): number {
  let end = start;
  // A to Z for 1 to 26, a to z for 27 to 52.
  into[end++] = bytes.length <= 26 ? 0x40 + bytes.length : 0x60 + bytes.length - 26;
  for (let at = 0; at < bytes.length; at += 4) {
    let value = 0;
    for (let byte = 0; byte < 4; byte++) value = value * 256 + (bytes[at + byte] ?? 0);
    for (let digit = 4; digit >= 0; digit--) {
      into[end + digit] = DIGITS[value % 85]!;
      value = Math.floor(value / 85);
    }
    end += 5;
  }
  into[end++] = 0x0a;
  return end;
}
