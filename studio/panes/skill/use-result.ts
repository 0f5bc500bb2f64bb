import { useEffect, useState } from 'react';
import { isTerminal } from '../../../src/record/index.ts';
import type { SkillResult } from '../../source/run-source.ts';
import { useModel, useSession } from '../../state/use-run.tsx';

export type ResultState =
  | { phase: 'pending' | 'loading' }
  | { phase: 'failed'; error: Error }
  | { phase: 'ready'; result: SkillResult };

/** The result of the run, once it has ended. */
export function useResult(): ResultState {
  const { source } = useSession();
  const { status, attempts } = useModel();
  const attempt = attempts.at(-1)?.number;
  const hasEnded = isTerminal(status);
  const [state, setState] = useState<ResultState>({ phase: 'loading' });
  useEffect(() => {
    if (attempt === undefined || !hasEnded) return;
    const ending = new AbortController();
    source.result(attempt, ending.signal).then(
      (result) => setState({ phase: 'ready', result }),
      (error: Error) => !ending.signal.aborted && setState({ phase: 'failed', error }),
    );
    return () => ending.abort();
  }, [source, attempt, hasEnded]);
  return hasEnded ? state : { phase: 'pending' };
}
