import fs from 'node:fs';
import type { Seen } from './plan.ts';

/** Describes a path of this machine. */
export function lookAt(path: string): Seen | null {
  try {
    // Most paths that are looked for are missing, and an exception for each would take longer than all else.
    const stat = fs.lstatSync(path, { throwIfNoEntry: false });
    if (!stat) return null;
    const link = stat.isSymbolicLink() ? fs.readlinkSync(path) : null;
    const real = fs.realpathSync.native(path);
    return { folder: fs.statSync(real).isDirectory(), real, link };
  } catch {
    return null;
  }
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
const MAX_BYTES = 256 * 1024;

/** The text of a file that a program may have replaced; null unless it is a regular file of modest size. */
export function readSmallFile(path: string): string | null {
  let fd: number;
  try {
    // A pipe would be waited for otherwise.
    fd = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const stat = fs.fstatSync(fd);
    return stat.isFile() && stat.size <= MAX_BYTES ? fs.readFileSync(fd, 'utf8') : null;
  } finally {
    fs.closeSync(fd);
  }
}
