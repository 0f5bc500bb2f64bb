import fs from 'node:fs';

/** The bytes at a place of an open file; fewer than asked for where it ends. */
export function readAt(fd: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  const read = fs.readSync(fd, bytes, 0, length, position);
  return bytes.subarray(0, read);
}
