import fs from 'node:fs';
import { RUN_RECORD_FILE } from '../../protocol/index.ts';
import type { RunFolder } from '../../recording/index.ts';

/** Where the system gives no watch. */
const LOOK_MS = 1000;

/** Tells whenever the run's record was written, until it is stopped. It may tell more often than that. */
export function watchRecord(folder: RunFolder, onWritten: () => void): { stop(): void } {
  let watcher: fs.FSWatcher | null = null;
  let looking: NodeJS.Timeout | undefined;
  let stopped = false;
  const lookInstead = (): void => {
    watcher?.close();
    if (!stopped) looking ??= setInterval(onWritten, LOOK_MS);
  };
  try {
    watcher = fs.watch(folder.path, (_, name) => {
      if (name === RUN_RECORD_FILE) onWritten();
    });
    watcher.on('error', lookInstead);
  } catch {
    lookInstead();
  }
  return {
    stop() {
      stopped = true;
      clearInterval(looking);
      watcher?.close();
    },
  };
}
