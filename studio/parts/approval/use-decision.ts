import { useState } from 'react';
import type { Client } from '../../../src/client/index.ts';
import type { Approval, Decision } from '../../../src/protocol/index.ts';

/** Decides once: the first decision counts, and the server returns it. */
export function useDecision(
  client: Client | null,
  { approval_id }: Approval,
  onDecided?: (approval: Approval) => void,
) {
  const [sending, setSending] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const [answer, setAnswer] = useState<Approval | null>(null);
  const [wanted, setWanted] = useState<Decision['decision'] | null>(null);

  async function decide(decision: Decision): Promise<void> {
    if (!client || sending || answer) return;
    setSending(true);
    setError(null);
    setWanted(decision.decision);
    try {
      const decided = await client.decide(approval_id, decision);
      setAnswer(decided);
      onDecided?.(decided);
    } catch (thrown) {
      setError(thrown as Error);
    } finally {
      setSending(false);
    }
  }

  return { sending, error, answer, wanted, decide };
}
