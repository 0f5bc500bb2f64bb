import { useEffect } from 'react';
import { isTerminal } from '../../../src/record/index.ts';
import { openingChange } from '../../model/opening.ts';
import type { RunSession } from '../../state/run-session.ts';

/** Chooses the first view once, when the whole history is loaded. */
export function useOpening(session: RunSession): void {
  useEffect(() => {
    const { connection, model, view } = session;
    const open = () => {
      const { phase } = connection.get();
      // If the run has ended, its conversation is complete only after both streams have ended.
      const isComplete = phase === 'ended' || (phase === 'live' && !isTerminal(model.status));
      if (!isComplete) return;
      stop();
      const change = openingChange(model, view.get());
      if (change) view.change(change, 'replace');
    };
    const stop = connection.subscribe(open);
    open();
    return stop;
  }, [session]);
}
