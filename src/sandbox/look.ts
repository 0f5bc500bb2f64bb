import fs from 'node:fs';
import type { Seen } from './plan.ts';

/** Describes a path of this machine. */
export function lookAt(path: string): Seen | null {
  try {
    const link = fs.lstatSync(path).isSymbolicLink() ? fs.readlinkSync(path) : null;
    const real = fs.realpathSync.native(path);
    return { folder: fs.statSync(real).isDirectory(), real, link };
  } catch {
    return null;
  }
}
