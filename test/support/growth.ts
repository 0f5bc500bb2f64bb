/**
 * How much more CPU time work takes at eight times the size: about 8 if it grows linearly, 64 if quadratically. Both
 * sizes are measured in turn and do the same amount of linear work, so that compilation, garbage collection and other
 * load affect them alike; the median leaves single disturbances out.
 */
export function growth(size: number, work: (size: number) => void): number {
  const small = () => {
    for (let times = 0; times < FACTOR; times++) work(size);
  };
  const large = () => work(size * FACTOR);
  // The first measurement would be that of the compiler.
  small();
  large();
  const ratios = Array.from({ length: ROUNDS }, () => processorTime(large) / Math.max(processorTime(small), 1));
  return FACTOR * ratios.sort((one, other) => one - other)[Math.floor(ROUNDS / 2)]!;
}

const FACTOR = 8;
const ROUNDS = 5;

/** The maximum of `growth` for linear work, with a margin for caches and garbage collection. */
export const PROPORTIONAL = 28;

/** Microseconds. */
function processorTime(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
