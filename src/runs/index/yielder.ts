import { setImmediate } from 'node:timers/promises';

const TURN_MS = 20;

/** Awaited between small pieces of long work. */
export type Yielder = () => Promise<void> | undefined;

/** Yields to the event loop now and then, after `turnMs` of work; `onTurn` can end the work by throwing. */
export function createYielder(onTurn: () => void, turnMs = TURN_MS): Yielder {
  let until = performance.now() + turnMs;
  return () => {
    if (performance.now() < until) return undefined;
    onTurn();
    return setImmediate().then(() => {
      until = performance.now() + turnMs;
    });
  };
}
