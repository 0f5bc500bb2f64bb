import fs from 'node:fs';
import tty from 'node:tty';

/**
 * Gives up a terminal that has hung up. At its exit Node restores the modes of the terminals it was started on, and
 * aborts when one of them is gone; a descriptor that names another file by then is left alone.
 */
export function releaseHungUpTerminal(): void {
  for (const fd of [0, 1, 2]) {
    if (!isHungUp(fd)) continue;
    fs.closeSync(fd);
    // The lowest free number is the one just closed.
    fs.openSync('/dev/null', 'r+');
  }
}

/** A terminal that answers no question about itself. */
function isHungUp(fd: number): boolean {
  try {
    const stat = fs.fstatSync(fd);
    return stat.isCharacterDevice() && stat.rdev !== fs.statSync('/dev/null').rdev && !tty.isatty(fd);
  } catch {
    return false; // Closed.
  }
}
