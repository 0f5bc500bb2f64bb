import fs from 'node:fs';

/** Where the system gives no watch. */
const LOOK_MS = 1000;

/**
 * Notifies about changes to the named files of a folder until it is stopped. It may notify more often than
 * that; if the system has no watches left, it notifies every second.
 */
export function watchFolder(
  folder: string,
  isMeant: (name: string) => boolean,
  onChange: () => void,
): { stop(): void } {
  let watcher: fs.FSWatcher | null = null;
  let looking: NodeJS.Timeout | undefined;
  let stopped = false;
  const lookInstead = (): void => {
    watcher?.close();
    if (!stopped) looking ??= setInterval(onChange, LOOK_MS);
  };
  try {
    watcher = fs.watch(folder, (_, name) => {
      if (name === null || isMeant(name)) onChange();
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
