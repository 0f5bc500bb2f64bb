import fs from 'node:fs';
import path from 'node:path';

/**
 * Creates a folder that only the user can access, and its parents. One level at a time: Node's recursive mkdir never
 * returns where the kernel refuses to create a folder, as in /proc.
 */
export function makePrivateFolder(folder: string): void {
  if (fs.existsSync(folder)) return;
  makePrivateFolder(path.dirname(folder));
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // Another tacho process was faster.
  }
}
