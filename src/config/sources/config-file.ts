import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

const MAX_FILE_BYTES = 1024 * 1024;

export type FileContent =
  | { kind: 'bytes'; bytes: Buffer }
  | { kind: 'absent' }
  | { kind: 'not_a_file' }
  /** `complaint` follows the name of the file. */
  | { kind: 'unreadable'; complaint: string };

/** Reads a small file completely. A failure is a value, for the caller to judge. */
export function readSmallFile(path: string): FileContent {
  let descriptor: number;
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for its writer.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    return absentOrUnreadable(error);
  }
  try {
    if (!fstatSync(descriptor).isFile()) return { kind: 'not_a_file' };
    const bytes = readUpTo(descriptor, MAX_FILE_BYTES + 1);
    if (bytes.length > MAX_FILE_BYTES) return { kind: 'unreadable', complaint: 'is larger than 1 MiB' };
    return { kind: 'bytes', bytes };
  } catch (error) {
    return absentOrUnreadable(error);
  } finally {
    closeSync(descriptor);
  }
}

/** Counts the bytes actually read, so that a growing file is limited too. */
function readUpTo(descriptor: number, limit: number): Buffer {
  const chunks: Buffer[] = [];
  let total = 0;
  while (total < limit) {
    const chunk = Buffer.allocUnsafe(Math.min(16_384, limit - total));
    const count = readSync(descriptor, chunk, 0, chunk.length, null);
    if (count === 0) break;
    chunks.push(chunk.subarray(0, count));
    total += count;
  }
  return Buffer.concat(chunks, total);
}

function absentOrUnreadable(error: unknown): FileContent {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN';
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return { kind: 'absent' };
    case 'EACCES':
    case 'EPERM':
      return { kind: 'unreadable', complaint: 'cannot be read: permission denied' };
    case 'ELOOP':
      return { kind: 'unreadable', complaint: 'cannot be read: its symbolic links go round in a circle' };
    default:
      return { kind: 'unreadable', complaint: `cannot be read: ${code}` };
  }
}
