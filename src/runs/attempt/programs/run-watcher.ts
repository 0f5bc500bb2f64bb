import type { FcmpMessage, RawStream } from '../../../protocol/index.ts';
import type { TerminalControl } from './terminal-program.ts';

/** Observes or controls a live attempt. A watcher that throws is not called again. */
export interface RunWatcher {
  /** `cancel` ends the attempt before its program has started. */
  prepared?(run: { runId: string; runDir: string; attempt: number; cancel(): void }): void;
  started?(control: TerminalControl): void;
  /** New bytes are in the files; called with the new sizes. */
  recorded?(sizes: Partial<Record<RawStream, number>>): void;
  /** New messages of the conversation, after they were stored. */
  conversed?(messages: readonly FcmpMessage[]): void;
}

/** Wraps a watcher: after it throws, it is not called again, and the run continues. */
export function ignoreWatcherErrors(watcher: RunWatcher): RunWatcher {
  const guard =
    <Arguments extends unknown[]>(callback: ((...args: Arguments) => void) | undefined) =>
    (...args: Arguments): void => {
      try {
        callback?.(...args);
      } catch {
        callback = undefined;
      }
    };
  return {
    prepared: guard(watcher.prepared?.bind(watcher)),
    started: guard(watcher.started?.bind(watcher)),
    recorded: guard(watcher.recorded?.bind(watcher)),
    conversed: guard(watcher.conversed?.bind(watcher)),
  };
}
