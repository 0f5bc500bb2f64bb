import { duration } from './times.ts';

/** Elapsed time in whole seconds: it is updated every second, so tenths would not be read. */
export function elapsed(ms: number): string {
  return ms < 60_000 ? `${Math.max(0, Math.floor(ms / 1000))} s` : duration(ms);
}
