import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { openRegularFile } from '../files/index.ts';

const PIECE_BYTES = 1024 * 1024;

export interface Digest {
  bytes: number;
  sha256: string;
}

export function digestOf(content: string): Digest {
  return { bytes: Buffer.byteLength(content), sha256: createHash('sha256').update(content).digest('hex') };
}

/** sha256 of the file's first `upTo` bytes (by default all), without loading them into memory. */
export function hashFile(path: string, upTo = Number.POSITIVE_INFINITY): Digest {
  const hash = createHash('sha256');
  let bytes = 0;
  for (const piece of filePieces(path, upTo)) {
    hash.update(piece);
    bytes += piece.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** The file's bytes in pieces; each is valid until the next one is read. */
export function* filePieces(path: string, upTo = Number.POSITIVE_INFINITY): Generator<Buffer> {
  const fd = openRegularFile(path);
  try {
    const buffer = Buffer.allocUnsafe(PIECE_BYTES);
    for (let at = 0; at < upTo; ) {
      const read = fs.readSync(fd, buffer, 0, Math.min(PIECE_BYTES, upTo - at), at);
      if (read === 0) return;
      yield buffer.subarray(0, read);
      at += read;
    }
  } finally {
    fs.closeSync(fd);
  }
}
