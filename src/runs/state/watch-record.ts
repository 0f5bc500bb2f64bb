import { watchFolder } from '../../files/index.ts';
import { RUN_RECORD_FILE } from '../../protocol/index.ts';
import type { RunFolder } from '../../recording/index.ts';

/** Tells whenever the run's record was written, until it is stopped. It may tell more often than that. */
export function watchRecord(folder: RunFolder, onWritten: () => void): { stop(): void } {
  return watchFolder(folder.path, (name) => name === RUN_RECORD_FILE, onWritten);
}

/** Tells whenever the run's lock was taken or released. That its holder died is told by nobody. */
export function watchLock(folder: RunFolder, onChange: () => void): { stop(): void } {
  return watchFolder(folder.audit, (name) => name.startsWith('lock.'), onChange);
}
