import { setImmediate } from 'node:timers/promises';

const TURN_MS = 20;

/** Awaited between small pieces of long work. */
export type Yielder = () => Promise<void> | undefined;

/** Yields to the event loop now and then; `onTurn` can end the work by throwing. */
export function createYielder(onTurn: () => void): Yielder {
  let until = performance.now() + TURN_MS;
  return () => {
    if (performance.now() < until) return undefined;
    onTurn();
    return setImmediate().then(() => {
      until = performance.now() + TURN_MS;
    });
  };
}
