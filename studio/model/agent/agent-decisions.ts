import type { AgentAnswer, AgentApproval, AgentQuestion } from '../../../src/protocol/index.ts';

/** What an agent asked people, and what they said. */
export type AgentDecision =
  | { kind: 'approval'; id: string; at: string; isOpen: boolean; approval: AgentApproval }
  | { kind: 'question'; id: string; at: string; isOpen: boolean; question: AgentQuestion };

/** Open ones first, then the newest. */
export function agentDecisions({
  approvals,
  questions,
}: Pick<AgentAnswer, 'approvals' | 'questions'>): AgentDecision[] {
  const all: AgentDecision[] = [
    ...approvals.map((approval) => ({
      kind: 'approval' as const,
      id: approval.approval_id,
      at: approval.requested_at,
      isOpen: approval.decision === null,
      approval,
    })),
    ...questions.map((question) => ({
      kind: 'question' as const,
      id: question.question_id,
      at: question.asked_at,
      isOpen: question.answers === null,
      question,
    })),
  ];
  return all.sort((one, other) => Number(other.isOpen) - Number(one.isOpen) || (one.at < other.at ? 1 : -1));
}

/** The answers beside their questions. */
export function answeredPairs({ questions, answers }: AgentQuestion): { text: string; answer: string | null }[] {
  return questions.map(({ id, text }) => ({ text, answer: answers?.[id] ?? null }));
}
