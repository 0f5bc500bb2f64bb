import fs from 'node:fs';
import { isRegularFile, openRegularFile, readAt } from '../files/index.ts';
import { TachoError } from '../protocol/index.ts';
import { CHUNK_RECORD_BYTES, type Chunk, checkChunkHeader, decodeChunks } from '../record/index.ts';

const RECORDS_AT_ONCE = 2048;

/** The chunks of an index in order, read in blocks. Throws FORMAT_TOO_NEW if the format is unknown. */
export function* readChunks(file: string): Generator<Chunk> {
  const fd = openRegularFile(file);
  try {
    checkChunkHeader(readAt(fd, 0, CHUNK_RECORD_BYTES), file);
    for (let at = CHUNK_RECORD_BYTES; ; ) {
      const chunks = decodeChunks(readAt(fd, at, CHUNK_RECORD_BYTES * RECORDS_AT_ONCE));
      if (chunks.length === 0) return;
      yield* chunks;
      at += chunks.length * CHUNK_RECORD_BYTES;
    }
  } finally {
    fs.closeSync(fd);
  }
}

/** The last complete chunk of an index; null if there is none, or if the format is unknown. */
export function lastChunk(file: string): Chunk | null {
  if (!isRegularFile(file)) return null;
  const fd = openRegularFile(file);
  try {
    const whole = Math.floor(fs.fstatSync(fd).size / CHUNK_RECORD_BYTES);
    if (whole < 2) return null;
    checkChunkHeader(readAt(fd, 0, CHUNK_RECORD_BYTES), file);
    return decodeChunks(readAt(fd, (whole - 1) * CHUNK_RECORD_BYTES, CHUNK_RECORD_BYTES))[0] ?? null;
  } catch (error) {
    if (error instanceof TachoError) return null;
    throw error;
  } finally {
    fs.closeSync(fd);
  }
}
