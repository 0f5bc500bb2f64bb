import { constants } from 'node:os';

/** The same as `timeout` of coreutils. */
export const TIMED_OUT = 124;

/** The exit code as a shell reports it. */
export function exitCodeOf({ exit_code, signal }: { exit_code: number | null; signal: string | null }): number {
  return exit_code ?? (signal === null ? 1 : afterSignal(signal));
}

export function afterSignal(signal: string): number {
  return 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
}

/** The first signal that asks this process to end; signals no longer end it. */
export function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve(signal));
  });
}
