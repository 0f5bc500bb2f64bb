import type { Drafter } from '../drafter.ts';

/** Invocations of codex in one log: each numbers its items from 0. */
export interface Rounds {
  threadStarted(): void;
  turnStarted(): void;
  turnEnded(): void;
  /** An item's id, unique in the attempt. */
  idOf(item: string): string;
}

export function createRounds(draft: Drafter): Rounds {
  let round = 1;
  /** Ids were given out in this round. */
  let used = false;
  let ended = false;

  function next(): void {
    if (used) round++;
    used = false;
    ended = false;
  }

  return {
    threadStarted: next,
    turnStarted() {
      if (ended) next();
    },
    turnEnded() {
      ended = true;
    },
    idOf(item) {
      used = true;
      return draft.attemptId(round === 1 ? item : `${round}.${item}`);
    },
  };
}
