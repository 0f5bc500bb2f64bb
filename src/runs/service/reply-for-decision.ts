import type { Approval, Reply, RunRecord } from '../../protocol/index.ts';

/**
 * The reply to a run whose program stopped waiting for a decision, once there is one; the next attempt continues with
 * it. Null without a decision. The reply is always the same, so sending it twice has no effect.
 */
export function replyForDecision(record: RunRecord, approvalsOf: (runId: string) => Approval[]): Reply | null {
  const { run_id, status, last, question } = record;
  if (status !== 'waiting_user' || last?.reason_code !== 'APPROVAL_PENDING' || !question) return null;
  // If the run had seen this decision, it would not wait.
  const asked = approvalsOf(run_id).at(-1);
  if (asked?.status !== 'approved' && asked?.status !== 'denied') return null;
  return {
    interaction_id: question.interaction_id,
    text: asked.status === 'approved' ? 'yes' : 'no',
    idempotency_key: `approval ${asked.approval_id}`,
  };
}
