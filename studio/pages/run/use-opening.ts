import { useEffect } from 'react';
import { isTerminal } from '../../../src/record/index.ts';
import { openingChange } from '../../model/opening.ts';
import type { RunSession } from '../../state/run-session.ts';

/** Looks at what matters first, once, when all of the past is there. */
export function useOpening(session: RunSession): void {
  useEffect(() => {
    const { connection, model, view } = session;
    const open = () => {
      const { phase } = connection.get();
      // Of a run that has ended, also its conversation is complete only when both of its streams have ended.
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
