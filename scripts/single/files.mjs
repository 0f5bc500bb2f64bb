import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

/** Every file in a folder, by its relative path, in an order that does not depend on the file system. */
export function filesBelow(folder) {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();
}

/** Hash of the names and contents of files in a folder. */
export function hashOf(folder, files) {
  const hash = createHash('sha256');
  for (const file of files) {
    const bytes = fs.readFileSync(path.join(folder, file));
    hash.update(`${file}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
}
