import { type Approval, type Decision, TachoError } from '../../protocol/index.ts';
import type { RunContext } from '../context.ts';
import { type ApprovalStore, agentOf } from './approval-store.ts';

/**
 * Decides about a request; every caller gets the first decision. That about a request of our own agent is made in the
 * folder of the agent's run, and repeated here. Throws APPROVAL_NOT_FOUND, and INVALID_REQUEST for a decision that cannot
 * be remembered.
 */
export async function decideApproval(
  store: ApprovalStore,
  approvalId: string,
  decision: Decision,
  { agents }: Pick<RunContext, 'agents'>,
): Promise<Approval> {
  const asked = store.get(approvalId);
  const agent = agentOf(asked);
  if (decision.remember !== undefined && (decision.decision !== 'approved' || agent === null)) {
    throw new TachoError('INVALID_REQUEST', `a decision about "${approvalId}" cannot be remembered`, {
      facts: { approval_id: approvalId },
      fix: 'Leave remember out: only an approval can be remembered, and only if the request suggests a rule.',
    });
  }
  if (agent === null || !agents) return store.decide(approvalId, decision);
  // The run is over, and nothing asks any more.
  if (asked.status === 'expired') return asked;
  const { digest } = asked.details as { digest?: unknown };
  const request = { digest: typeof digest === 'string' ? digest : undefined };
  const { status, reason } = await agents.decide(agent, approvalId, decision, request);
  return store.decide(approvalId, { decision: status, ...(reason === null ? {} : { reason }) });
}

/** Repeats decisions that were made in the folders of agents, by any other way. Returns how many. */
export async function mirrorDecisions(
  store: ApprovalStore,
  { agents }: Pick<RunContext, 'agents'>,
  isMeant: (approval: Approval) => boolean = () => true,
): Promise<number> {
  let count = 0;
  for (const approval of store.list({ status: 'pending' })) {
    const agent = agentOf(approval);
    const decided = agent && agents && isMeant(approval) ? await agents.decision(agent, approval.approval_id) : null;
    if (!decided) continue;
    const { status, reason } = decided;
    store.decide(approval.approval_id, { decision: status, ...(reason === null ? {} : { reason }) });
    count++;
  }
  return count;
}
