import fs from 'node:fs';
import { type WriteOptions, withTemporary } from './write-whole.ts';

/**
 * Creates the file with all of its content, or not at all. False when it exists already: of several writers at once,
 * one wins.
 */
export function createOnce(file: string, content: string | Uint8Array, options: WriteOptions = {}): boolean {
  return withTemporary(file, content, options, (temporary) => {
    try {
      // link() is atomic and, unlike rename(), refuses to replace.
      fs.linkSync(temporary, file);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  });
}
