import { watchFolder } from '../../files/index.ts';
import { RUN_RECORD_FILE } from '../../protocol/index.ts';
import type { RunFolder } from '../../recording/index.ts';

/** Calls back whenever the run's record was written, until it is stopped. May call more often than that. */
export function watchRecord(folder: RunFolder, onWritten: () => void): { stop(): void } {
  return watchFolder(folder.path, (name) => name === RUN_RECORD_FILE, onWritten);
}

/** Calls back whenever the run's lock was taken or released, but not when its holder died. */
export function watchLock(folder: RunFolder, onChange: () => void): { stop(): void } {
  return watchFolder(folder.audit, (name) => name.startsWith('lock.'), onChange);
}
