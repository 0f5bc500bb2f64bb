/** Ids that are the same in every run of a test: `run_0001`, `run_0002`, `approval_0001` … */
export function sequentialIds(): (prefix?: string) => string {
  const counts = new Map<string, number>();
  return (prefix = 'id') => {
    const count = (counts.get(prefix) ?? 0) + 1;
    counts.set(prefix, count);
    return `${prefix}_${String(count).padStart(4, '0')}`;
  };
}

/** Numbers from 0 to 1 that look random and are the same in every run of a test. */
export function seededRandom(seed = 1): () => number {
  let state = seed >>> 0;
  return () => {
    // mulberry32: short, and good enough for delays.
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
