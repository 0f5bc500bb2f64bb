import { useEffect, useState } from 'react';
import type { RunResult } from '../../../src/client/index.ts';
import { isTerminal } from '../../../src/record/index.ts';
import { useClient } from '../../state/client.tsx';
import { useStore } from '../../state/store.ts';
import { useModel, useSession } from '../../state/use-run.tsx';

export type ResultState =
  | { phase: 'pending' | 'loading' | 'archive' }
  | { phase: 'failed'; error: Error }
  | { phase: 'ready'; result: RunResult };

/** The result of the run, once it has ended. */
export function useResult(): ResultState {
  const client = useClient();
  const { source, run } = useSession();
  const id = useStore(run, (known) => known?.run_id);
  const { status } = useModel();
  const hasEnded = isTerminal(status);
  const [state, setState] = useState<ResultState>({ phase: 'loading' });
  useEffect(() => {
    if (client === null || id === undefined || !hasEnded) return;
    const ending = new AbortController();
    client.result(id, { signal: ending.signal }).then(
      (result) => setState({ phase: 'ready', result }),
      (error: Error) => !ending.signal.aborted && setState({ phase: 'failed', error }),
    );
    return () => ending.abort();
  }, [client, id, hasEnded]);
  if (source.kind === 'archive' || client === null) return { phase: 'archive' };
  return hasEnded ? state : { phase: 'pending' };
}
