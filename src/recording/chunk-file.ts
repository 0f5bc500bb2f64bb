import fs from 'node:fs';
import { openRegularFile, readAt } from '../files/index.ts';
import { CHUNK_RECORD_BYTES, type Chunk, checkChunkHeader, decodeChunks } from '../record/index.ts';

const RECORDS_AT_ONCE = 2048;

/** The chunks of an index in order, read in blocks. Throws FORMAT_TOO_NEW for what is not an index we know. */
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
