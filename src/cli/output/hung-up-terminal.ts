import fs from 'node:fs';
import tty from 'node:tty';

/**
 * Releases a terminal that has hung up. At exit Node restores the modes of the terminals it was started on, and aborts
 * when one of them is gone; it skips a descriptor that refers to another file by then.
 */
export function releaseHungUpTerminal(): void {
  for (const fd of [0, 1, 2]) {
    if (!isHungUp(fd)) continue;
    fs.closeSync(fd);
    // Gets the lowest free number, which is the one just closed.
    fs.openSync('/dev/null', 'r+');
  }
}

/** True for a terminal that does not answer queries about itself. */
function isHungUp(fd: number): boolean {
  try {
    const stat = fs.fstatSync(fd);
    return stat.isCharacterDevice() && stat.rdev !== fs.statSync('/dev/null').rdev && !tty.isatty(fd);
  } catch {
    return false; // Closed.
  }
}
