import fs from 'node:fs';
import path from 'node:path';

/** The bytes of all files in a folder, recursively. Links are not followed; anything but a folder has none. */
export function bytesIn(folder: string): number {
  if (!fs.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return 0;
  let bytes = 0;
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    // Another process may be removing files.
    bytes += fs.lstatSync(path.join(entry.parentPath ?? entry.path, entry.name), { throwIfNoEntry: false })?.size ?? 0;
  }
  return bytes;
}
