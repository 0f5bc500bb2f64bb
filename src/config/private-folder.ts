import fs from 'node:fs';
import path from 'node:path';

/**
 * Makes a folder that only the user can look into, and those above it. One level at a time: Node's own recursive mkdir
 * never returns where the kernel refuses to make a folder, as in /proc.
 */
export function makePrivateFolder(folder: string): void {
  if (fs.existsSync(folder)) return;
  makePrivateFolder(path.dirname(folder));
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // Another tacho was quicker.
  }
}
