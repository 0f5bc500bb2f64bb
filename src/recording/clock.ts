/** Wall-clock microseconds that never go back while an attempt lives, whatever happens to the system's clock. */
export interface Clock {
  /** Microseconds since the epoch, a whole number. */
  now(): number;
}

export function startClock(): Clock {
  const startWall = Date.now() * 1000;
  const startMonotonic = performance.now();
  return { now: () => startWall + Math.round((performance.now() - startMonotonic) * 1000) };
}

/** Milliseconds since the epoch as events carry them. */
export function timestamp(micros: number): string {
  return new Date(Math.floor(micros / 1000)).toISOString();
}
