import fs from 'node:fs';
import { lockFile } from '../../terminal/index.ts';

/** A lock that is given back by the kernel when its holder ends, however it ends. */
export interface FileLock {
  release(): void;
}

/** Null when somebody has it. */
export function takeFileLock(file: string): FileLock | null {
  // Never removed: another may be about to lock the very file that would go.
  const fd = fs.openSync(file, 'a', 0o600);
  if (lockFile(fd)) return { release: () => fs.closeSync(fd) };
  fs.closeSync(fd);
  return null;
}
