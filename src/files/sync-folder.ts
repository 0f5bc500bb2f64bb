import { closeSync, fsyncSync } from 'node:fs';
import { openFolder } from './put-back.ts';

/** A new file's name is on the disk only when its folder is. */
export function syncFolder(folder: string): void {
  const fd = openFolder(folder);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
