/**
 * How much more CPU time work takes at eight times the size: about 8 if it grows linearly, 64 if quadratically. The
 * minimum of a few measurements of CPU time, so that other load on the machine hardly counts.
 */
export function growth(size: number, work: (size: number) => void): number {
  const least = (size: number) => Math.min(...Array.from({ length: 4 }, () => processorTime(() => work(size))));
  // Small before large, so that the code is already compiled for the large one.
  return [size, size * 8].map(least).reduce((small, large) => large / Math.max(small, 1));
}

/** The maximum of `growth` for linear work, with a margin for caches and garbage collection. */
export const PROPORTIONAL = 28;

/** Microseconds. */
function processorTime(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
