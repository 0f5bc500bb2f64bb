import type { Approval, Reply, RunRecord } from '../../protocol/index.ts';
import { agentOf } from '../approvals/approval-store.ts';
import type { RunContext } from '../context.ts';
import { isOfOwnProgram } from './own-program.ts';

/**
 * The reply to a run whose program stopped waiting for a decision, once there is one; the next attempt continues with
 * it. Null without a decision. The reply is always the same, so sending it twice has no effect.
 */
export function replyForDecision(record: RunRecord, approvalsOf: (runId: string) => Approval[]): Reply | null {
  const { run_id, status, last, question } = record;
  if (isOfOwnProgram(record)) return null;
  if (status !== 'waiting_user' || last?.reason_code !== 'APPROVAL_PENDING' || !question) return null;
  const all = approvalsOf(run_id);
  // An agent may wait with several; it continues when all are decided.
  if (all.some((approval) => approval.status === 'pending' && agentOf(approval) !== null)) return null;
  // If the run had seen this decision, it would not wait.
  const asked = all.at(-1);
  if (asked?.status !== 'approved' && asked?.status !== 'denied') return null;
  return {
    interaction_id: question.interaction_id,
    text: asked.status === 'approved' ? 'yes' : 'no',
    idempotency_key: `approval ${asked.approval_id}`,
  };
}

/** The reply to a question of our own agent that was answered in the folder of its run; null if it was not. */
export async function replyForAnswer(record: RunRecord, { agents }: Pick<RunContext, 'agents'>): Promise<Reply | null> {
  const { question } = record;
  if (isOfOwnProgram(record)) return null;
  const agent = question?.agent;
  const answers = agent && agents ? await agents.answers(agent, agent.question_id) : null;
  if (!question || !answers) return null;
  const { interaction_id } = question;
  return { interaction_id, answers: { ...answers }, idempotency_key: `answer ${interaction_id}` };
}
