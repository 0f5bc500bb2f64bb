import type { Approval, Reply, RunRecord } from '../../protocol/index.ts';

/**
 * What is said to a run whose program stopped waiting for a decision, once there is one: the attempt that follows goes
 * on with it. Null while there is nothing to say. It would be the same again, so saying it twice does nothing.
 */
export function replyForDecision(record: RunRecord, approvalsOf: (runId: string) => Approval[]): Reply | null {
  const { run_id, status, last, question } = record;
  if (status !== 'waiting_user' || last?.reason_code !== 'APPROVAL_PENDING' || !question) return null;
  // Had it heard of this one, it would not wait.
  const asked = approvalsOf(run_id).at(-1);
  if (asked?.status !== 'approved' && asked?.status !== 'denied') return null;
  return {
    interaction_id: question.interaction_id,
    text: asked.status === 'approved' ? 'yes' : 'no',
    idempotency_key: `approval ${asked.approval_id}`,
  };
}
