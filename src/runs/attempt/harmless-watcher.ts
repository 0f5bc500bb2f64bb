import type { RunWatcher } from '../request/run-request.ts';

/** A watcher that throws is not heard again, and the run goes on. */
export function harmless(watcher: RunWatcher): RunWatcher {
  const guard =
    <Arguments extends unknown[]>(tell: ((...args: Arguments) => void) | undefined) =>
    (...args: Arguments): void => {
      try {
        tell?.(...args);
      } catch {
        tell = undefined;
      }
    };
  return {
    prepared: guard(watcher.prepared?.bind(watcher)),
    started: guard(watcher.started?.bind(watcher)),
    recorded: guard(watcher.recorded?.bind(watcher)),
    conversed: guard(watcher.conversed?.bind(watcher)),
  };
}
