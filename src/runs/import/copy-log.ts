import fs from 'node:fs';
import { appendAll, createAttemptFile } from '../../recording/index.ts';

/** Writes a log to an attempt file, piece by piece; returns its size without the header. */
export function copyLog(pieces: Iterable<Buffer>, file: string, header = ''): number {
  const to = createAttemptFile(file);
  try {
    appendAll(to, [Buffer.from(header)], file);
    let bytes = 0;
    for (const piece of pieces) {
      appendAll(to, [piece], file);
      bytes += piece.length;
    }
    return bytes;
  } finally {
    fs.closeSync(to);
  }
}
