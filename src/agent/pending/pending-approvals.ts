import type { ApprovalEntry } from '../../approvals/decisions/approval-folder.ts';
import { notFound } from '../../approvals/decisions/decision-folder.ts';
import { type ToolApprovalAnswer, type ToolApprovalRequest, toolApprovalAnswerSchema } from '../../protocol/index.ts';
import { fromOpenRuns } from './pending-runs.ts';
import { pathsOfId, withDecisionsOf } from './run-decisions.ts';

/** An answer in full, or the decision alone. `approved_with_rule` alone takes the suggested rule. */
export type ApprovalChoice = ToolApprovalAnswer | ToolApprovalAnswer['decision'];

/** What runs of a workspace want to do and wait with, the oldest first; of agents with `approvals: 'later'`. */
export async function pendingApprovals(workspaceRoot: string): Promise<ApprovalEntry[]> {
  const pending = await fromOpenRuns(workspaceRoot, {
    take: ({ approvals }) => approvals.list({ pending: true }),
    idOf: ({ request }) => request.approval_id,
  });
  return pending.sort((one, other) => (one.requested_at < other.requested_at ? -1 : 1));
}

/** A request with its decision, if there is one; null if there is no such request, or it cannot be read. */
export function approvalEntry(workspaceRoot: string, id: string): ApprovalEntry | null {
  const paths = pathsOfId(workspaceRoot, id, 'a');
  const entries = paths && withDecisionsOf(paths, ({ approvals }) => approvals.list());
  return entries?.find(({ request }) => request.approval_id === id) ?? null;
}

/**
 * Decides about a call that waits, for the digest that the request has; `agent.resume` carries it out. Of several
 * decisions the first one counts: returned is the one that does. Throws APPROVAL_NOT_FOUND and APPROVAL_MISMATCH.
 */
export function decideApproval(
  workspaceRoot: string,
  id: string,
  choice: ApprovalChoice,
  { digest, by = 'user' }: { digest?: string | undefined; by?: string | undefined } = {},
): ToolApprovalAnswer {
  const paths = pathsOfId(workspaceRoot, id, 'a');
  const decided =
    paths &&
    withDecisionsOf(paths, ({ approvals }) => {
      const { request } = approvals.get(id);
      return approvals.decide(id, answerOf(choice, request, by), { digest: digest ?? request.digest });
    });
  if (!decided) throw notFound(id);
  return decided;
}

function answerOf(choice: ApprovalChoice, { suggested_rule }: ToolApprovalRequest, by: string): ToolApprovalAnswer {
  if (typeof choice !== 'string') return toolApprovalAnswerSchema.parse(choice);
  return { decision: choice, reason: null, rule: choice === 'approved_with_rule' ? suggested_rule : null, by };
}
