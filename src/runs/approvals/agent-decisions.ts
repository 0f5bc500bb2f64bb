import type { AgentRef, Approval, Decision } from '../../protocol/index.ts';

/** What became of a request: the decision that counts, whoever made it. */
export type CountedDecision = Pick<Approval, 'reason'> & { status: 'approved' | 'denied' };

/**
 * Approvals and questions of our own agent. They are kept in the folder of the agent's run, where the first decision
 * counts; what is in the data folder repeats it. This folder does not know agents, so it is given these functions.
 */
export interface AgentDecisions {
  /**
   * Decides about the request with this digest. Throws APPROVAL_NOT_FOUND, APPROVAL_MISMATCH if the request is another
   * one, and INVALID_REQUEST if the decision is to be remembered and the request has no rule for that.
   */
  decide(
    agent: AgentRef,
    approvalId: string,
    decision: Decision,
    request: { digest?: string | undefined },
  ): Promise<CountedDecision>;
  /** The decision so far; null if there is none. */
  decision(agent: AgentRef, approvalId: string): Promise<CountedDecision | null>;
  /** Answers a question; returns the answers that count. Throws APPROVAL_NOT_FOUND and INVALID_REQUEST. */
  answer(
    agent: AgentRef,
    questionId: string,
    answers: Readonly<Record<string, string>>,
  ): Promise<Readonly<Record<string, string>>>;
  /** The answers so far; null if there are none. */
  answers(agent: AgentRef, questionId: string): Promise<Readonly<Record<string, string>> | null>;
}
