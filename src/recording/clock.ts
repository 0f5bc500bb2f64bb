/** Wall-clock microseconds that never go back during an attempt, even if the system clock is changed. */
export interface Clock {
  /** Microseconds since the epoch, an integer. */
  now(): number;
}

export function startClock(): Clock {
  const startWall = Date.now() * 1000;
  const startMonotonic = performance.now();
  return { now: () => startWall + Math.round((performance.now() - startMonotonic) * 1000) };
}

/** Formats a time for events, with milliseconds. */
export function timestamp(micros: number): string {
  return new Date(Math.floor(micros / 1000)).toISOString();
}
