import { createHash } from 'node:crypto';
import { constants, deflateSync } from 'node:zlib';

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
  const deflated = deflateSync(content, { level: levelFor(content) });
  const letters = Buffer.allocUnsafe(Math.ceil(deflated.length / LINE_BYTES) * LINE_LETTERS);
  let end = 0;
  for (let at = 0; at < deflated.length; at += LINE_BYTES) end = writeLine(deflated, at, letters, end);
  return [Buffer.from(`literal ${content.length}\n`), letters.subarray(0, end)];
}

/** Content of this size would take seconds at the default level. */
const LARGE_BYTES = 1024 * 1024;
const SAMPLE_BYTES = 32 * 1024;

/** Large content is compressed quickly, or not at all if samples of it hardly shrink. */
function levelFor(content: Buffer): number {
  if (content.length < LARGE_BYTES) return constants.Z_DEFAULT_COMPRESSION;
  const starts = [0, (content.length - SAMPLE_BYTES) >> 1, content.length - SAMPLE_BYTES];
  const samples = Buffer.concat(starts.map((start) => content.subarray(start, start + SAMPLE_BYTES)));
  const isDense = deflateSync(samples, { level: constants.Z_BEST_SPEED }).length > 0.95 * samples.length;
  return isDense ? constants.Z_NO_COMPRESSION : constants.Z_BEST_SPEED;
}

/** Two base 85 digits for each value below 85². */
const PAIRS = new Uint16Array(85 * 85);
for (let value = 0; value < PAIRS.length; value++) {
  PAIRS[value] = (DIGITS[Math.floor(value / 85)]! << 8) | DIGITS[value % 85]!;
}

/** Four bytes become five digits; the last ones are padded with zeros. Returns where the line ends. */
function writeLine(bytes: Buffer, start: number, into: Buffer, at: number): number {
  const stop = Math.min(bytes.length, start + LINE_BYTES);
  const count = stop - start;
  let end = at;
  // A to Z for 1 to 26, a to z for 27 to 52.
  into[end++] = count <= 26 ? 0x40 + count : 0x60 + count - 26;
  for (let from = start; from < stop; from += 4) {
    // Beyond the end, `undefined` counts as 0.
    const value = ((bytes[from]! << 24) | (bytes[from + 1]! << 16) | (bytes[from + 2]! << 8) | bytes[from + 3]!) >>> 0;
    const four = Math.floor(value / 85);
    const two = Math.floor(four / 7225);
    const high = PAIRS[two]!;
    const low = PAIRS[four - two * 7225]!;
    into[end] = high >> 8;
    into[end + 1] = high;
    into[end + 2] = low >> 8;
    into[end + 3] = low;
    into[end + 4] = DIGITS[value - four * 85]!;
    end += 5;
  }
  into[end++] = 0x0a;
  return end;
}
