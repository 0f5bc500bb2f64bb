import { setImmediate } from 'node:timers/promises';

const TURN_MS = 20;

/** Returns a function to await between small pieces of long work: now and then it lets everybody else have a turn. */
export function createBreath(onBreath: () => void = () => {}): () => Promise<void> | undefined {
  let until = performance.now() + TURN_MS;
  return () => {
    if (performance.now() < until) return undefined;
    onBreath();
    return setImmediate().then(() => {
      until = performance.now() + TURN_MS;
    });
  };
}
