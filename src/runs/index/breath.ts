import { setImmediate } from 'node:timers/promises';

const TURN_MS = 20;

/** Awaited between small pieces of long work. */
export type Breath = () => Promise<void> | undefined;

/** Lets everybody else have a turn now and then, and ends the work, by what `onTurn` throws, when nobody needs it. */
export function createBreath(onTurn: () => void): Breath {
  let until = performance.now() + TURN_MS;
  return () => {
    if (performance.now() < until) return undefined;
    onTurn();
    return setImmediate().then(() => {
      until = performance.now() + TURN_MS;
    });
  };
}
