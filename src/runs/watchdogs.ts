import type { EndedByUs } from '../protocol/index.ts';

export interface WatchdogOptions {
  timeoutMs: number | null;
  noProgressMs: number | null;
  /** Milliseconds since the last sign of life. */
  silentFor(): number;
  end(reason: EndedByUs): void;
}

/** Ends an attempt that takes too long or stands still; the returned function calls the dogs off. */
export function startWatchdogs(options: WatchdogOptions): () => void {
  const { timeoutMs, noProgressMs, silentFor, end } = options;
  const timers: NodeJS.Timeout[] = [];
  if (timeoutMs !== null) timers.push(setTimeout(() => end('hard_timeout'), timeoutMs));
  if (noProgressMs !== null) {
    const look = () => {
      if (silentFor() >= noProgressMs) end('no_progress');
    };
    timers.push(setInterval(look, Math.min(1000, Math.max(10, noProgressMs / 10))));
  }
  return () => timers.forEach(clearTimeout);
}
