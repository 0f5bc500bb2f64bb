import { duration } from './times.ts';

/** How long something has lasted, in whole seconds: it is told anew every second, and nobody waits for tenths. */
export function elapsed(ms: number): string {
  return ms < 60_000 ? `${Math.max(0, Math.floor(ms / 1000))} s` : duration(ms);
}
