// print-much.mjs text|numbers <bytes>: prints this number of bytes, the same every time, without repeated pieces. The
// text has colours and multi-byte characters; the numbers have 32 bits and are small, so three of four bytes are NUL.
import { createCipheriv } from 'node:crypto';
import fs from 'node:fs';

const [kind, bytes] = process.argv.slice(2);
const random = createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16));

function text(bytes) {
  return Buffer.from(bytes.toString('base64').replaceAll(/.{1,60}/g, '\x1b[32m✓\x1b[39m "$&"\n'));
}

function numbers(bytes) {
  const numbers = Buffer.alloc(4 * bytes.length);
  for (let index = 0; index < bytes.length; index++) numbers[4 * index] = bytes[index] & 0x7f;
  return numbers;
}

for (let left = Number(bytes); left > 0; ) {
  const piece = (kind === 'text' ? text : numbers)(random.update(Buffer.alloc(60_000))).subarray(0, left);
  for (let written = 0; written < piece.length; ) written += fs.writeSync(1, piece, written);
  left -= piece.length;
}
