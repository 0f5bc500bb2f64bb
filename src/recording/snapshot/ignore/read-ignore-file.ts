import fs from 'node:fs';
import type { DirectoryReader } from '../directory-reader.ts';
import { sizeOf, typeOf } from '../stat-words.ts';
import { IGNORE_FILE, MAX_IGNORE_BYTES, rulesOf } from './ignore-file.ts';

/** The rules in an open directory. None for a link, as in git, or for anything but a regular file within the limit. */
export function readIgnoreFile(reader: DirectoryReader, directory: number): string[] {
  const fd = reader.openFile(directory, IGNORE_FILE);
  if (fd < 0) return [];
  try {
    const stat = reader.stat(fd, '');
    if (typeof stat === 'number' || typeOf(stat, 0) !== 'file' || sizeOf(stat, 0) > MAX_IGNORE_BYTES) return [];
    const content = Buffer.alloc(sizeOf(stat, 0));
    return rulesOf(content.subarray(0, fs.readSync(fd, content)));
  } catch {
    return []; // Unreadable: everything that it would exclude is covered.
  } finally {
    reader.close(fd);
  }
}
