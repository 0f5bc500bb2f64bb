import path from 'node:path';
import { appendRegularFile, readRegularFile, writeWhole } from '../../files/index.ts';

/** Size of the content cache: the bytes that a listing found, and what every snapshot has added since, a line each. */
export const USAGE_FILE = 'usage';

/** Beyond it, the cache is listed again. */
const MAX_LINES = 1_000;

/** Counts added bytes and returns the total; null if it is unknown, so that the cache must be listed. */
export function addUsage(folder: string, bytes: number): number | null {
  const file = path.join(folder, USAGE_FILE);
  try {
    const lines = readRegularFile(file).split('\n').slice(0, -1);
    const total = lines.reduce((sum, line) => sum + Number(line), bytes);
    if (lines.length === 0 || lines.length >= MAX_LINES || !Number.isSafeInteger(total)) return null;
    // Appending loses no line of another run.
    appendRegularFile(file, `${bytes}\n`);
    return total;
  } catch {
    return null;
  }
}

export function setUsage(folder: string, bytes: number): void {
  try {
    writeWhole(path.join(folder, USAGE_FILE), `${bytes}\n`);
  } catch {
    // On a full or read-only disk, the next run lists the cache again.
  }
}
