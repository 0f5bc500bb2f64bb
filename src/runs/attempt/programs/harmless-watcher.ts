import type { FcmpMessage, RawStream } from '../../../protocol/index.ts';
import type { TerminalControl } from './terminal-program.ts';

/** Who wants to know or to act while the attempt lives. A watcher that throws is not heard again. */
export interface RunWatcher {
  /** `cancel` ends the attempt before its program has started. */
  prepared?(run: { runId: string; runDir: string; attempt: number; cancel(): void }): void;
  started?(control: TerminalControl): void;
  /** New bytes are in the files, which are this long by now. */
  recorded?(sizes: Partial<Record<RawStream, number>>): void;
  /** What is new in the conversation, after it was kept. */
  conversed?(messages: readonly FcmpMessage[]): void;
}

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
