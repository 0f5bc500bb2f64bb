/**
 * How much more processor time work takes at eight times the size: about 8 when it grows with the size, 64 when it grows
 * with its square. The processor's time, and the least of a few: what else the machine does hardly counts.
 */
export function growth(size: number, work: (size: number) => void): number {
  const least = (size: number) => Math.min(...Array.from({ length: 4 }, () => processorTime(() => work(size))));
  // Small before large, so that the code is compiled by the time it matters.
  return [size, size * 8].map(least).reduce((small, large) => large / Math.max(small, 1));
}

/** What `growth` gives at most for work in proportion to its size, with room for caches and garbage. */
export const PROPORTIONAL = 28;

/** Microseconds. */
function processorTime(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
