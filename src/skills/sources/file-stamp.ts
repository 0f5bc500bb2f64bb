import type { Stats } from 'node:fs';

/** What tells whether a file or folder is still the same without reading it. */
export interface Stamp {
  ino: number;
  size: number;
  mtimeMs: number;
  ctimeMs: number;
}

/** The kernel's clock of files is coarse: changes that follow each other within this time may have the same times. */
const COARSE_MS = 50;

/** Null if it was changed so shortly before it was read that a later change might not show. */
export function stampOf({ ino, size, mtimeMs, ctimeMs }: Stats, readAt: number): Stamp | null {
  return ctimeMs > readAt - COARSE_MS ? null : { ino, size, mtimeMs, ctimeMs };
}

export function isUnchanged(before: Stamp, now: Stats): boolean {
  return (
    before.ctimeMs === now.ctimeMs &&
    before.mtimeMs === now.mtimeMs &&
    before.size === now.size &&
    before.ino === now.ino
  );
}
