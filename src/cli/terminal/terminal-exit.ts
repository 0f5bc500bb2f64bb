import { constants } from 'node:os';

/** What `timeout` of coreutils says. */
export const TIMED_OUT = 124;

/** How something ended, as the exit code of a shell has it. */
export function exitCodeOf({ exit_code, signal }: { exit_code: number | null; signal: string | null }): number {
  return exit_code ?? (signal === null ? 1 : afterSignal(signal));
}

export function afterSignal(signal: string): number {
  return 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
}

/** The first signal that asks this process to end; it no longer ends by itself. */
export function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve(signal));
  });
}
