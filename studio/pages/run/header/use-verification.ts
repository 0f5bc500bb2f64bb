import { useCallback, useState } from 'react';
import type { VerificationAnswer } from '../../../../src/client/index.ts';
import { useSession } from '../../../state/use-run.tsx';

export interface Verification {
  stage: 'unknown' | 'checking' | 'known' | 'failed';
  answer: VerificationAnswer | null;
  problem: string | null;
  verify(): void;
}

/** Whether the record matches its seal; checked only on request, because the whole record has to be read. */
export function useVerification(): Verification {
  const { source } = useSession();
  const [state, setState] = useState<Omit<Verification, 'verify'>>({ stage: 'unknown', answer: null, problem: null });
  const verify = useCallback(() => {
    setState((known) => ({ ...known, stage: 'checking', problem: null }));
    source.verify().then(
      (answer) => setState({ stage: 'known', answer, problem: null }),
      (error: Error) => setState({ stage: 'failed', answer: null, problem: error.message }),
    );
  }, [source]);
  return { ...state, verify };
}
