import type { ApprovalEntry } from '../../approvals/decisions/approval-folder.ts';
import type { QuestionEntry } from '../../approvals/decisions/question-folder.ts';
import type { HumanAnswer, ToolApprovalAnswer } from '../../protocol/index.ts';
import type { ApprovalChoice } from './pending-approvals.ts';

export type { ApprovalChoice } from './pending-approvals.ts';

/** What runs of a workspace want to do and wait with, the oldest first; of agents with `approvals: 'later'`. */
export async function pendingApprovals(workspaceRoot: string): Promise<ApprovalEntry[]> {
  const approvals = await import('./pending-approvals.ts');
  return await approvals.pendingApprovals(workspaceRoot);
}

/**
 * Decides about a call that waits, for the digest that the request has; `agent.resume` carries it out. Of several
 * decisions the first one counts: returned is the one that does. Throws APPROVAL_NOT_FOUND and APPROVAL_MISMATCH.
 */
export async function decideApproval(
  workspaceRoot: string,
  id: string,
  choice: ApprovalChoice,
  options: { digest?: string | undefined; by?: string | undefined } = {},
): Promise<ToolApprovalAnswer> {
  const approvals = await import('./pending-approvals.ts');
  return approvals.decideApproval(workspaceRoot, id, choice, options);
}

/** Questions that runs of a workspace wait for, the oldest first; of agents with `human: 'later'`. */
export async function pendingQuestions(workspaceRoot: string): Promise<QuestionEntry[]> {
  const questions = await import('./pending-questions.ts');
  return await questions.pendingQuestions(workspaceRoot);
}

/**
 * Answers the questions of a call that waits, by their ids. Of several answers the first one counts: returned is the one
 * that does. Throws APPROVAL_NOT_FOUND, and INVALID_REQUEST for an answer that does not fit.
 */
export async function answerQuestion(
  workspaceRoot: string,
  id: string,
  answers: Readonly<Record<string, string>>,
  options: { by?: string | undefined } = {},
): Promise<HumanAnswer> {
  const questions = await import('./pending-questions.ts');
  return questions.answerQuestion(workspaceRoot, id, answers, options);
}
