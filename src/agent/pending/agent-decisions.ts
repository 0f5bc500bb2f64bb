import { notFound } from '../../approvals/decisions/decision-folder.ts';
import {
  type AgentRef,
  type Decision,
  type PolicyRule,
  TachoError,
  type ToolApprovalAnswer,
} from '../../protocol/index.ts';
import { approvalEntry, decideApproval } from './pending-approvals.ts';
import { answerQuestion, questionEntry } from './pending-questions.ts';

interface Counted {
  status: 'approved' | 'denied';
  reason: string | null;
}

/** Decisions about agent runs for those who know runs of tacho only; `runs/` has the interface. */
export interface RunDecisionPort {
  decide(agent: AgentRef, id: string, decision: Decision, request: { digest?: string | undefined }): Promise<Counted>;
  decision(agent: AgentRef, id: string): Promise<Counted | null>;
  answer(agent: AgentRef, id: string, answers: Readonly<Record<string, string>>): Promise<Record<string, string>>;
  answers(agent: AgentRef, id: string): Promise<Record<string, string> | null>;
}

/** `remember` adds a rule to the configuration of the user, unless it is there. */
export function agentDecisions(remember: (rule: PolicyRule, agent: AgentRef) => Promise<unknown>): RunDecisionPort {
  return {
    async decide(agent, id, { decision, reason, remember: scope }, { digest }) {
      const { request } = found(id, approvalEntry(agent.workspace, id));
      const rule = scope === undefined ? null : request.suggested_rule;
      if (scope !== undefined && rule === null) throw noRule(id, request.summary);
      const answer: ToolApprovalAnswer = {
        decision: rule ? 'approved_with_rule' : decision,
        reason: reason ?? null,
        rule,
        by: 'user',
      };
      const counted = decideApproval(agent.workspace, id, answer, { digest });
      // Not of a decision that came too late; and again if adding it failed before.
      if (scope === 'always' && counted.decision === 'approved_with_rule') await remember(rule!, agent);
      return countedOf(counted);
    },
    async decision(agent, id) {
      const answer = approvalEntry(agent.workspace, id)?.answer;
      return answer ? countedOf(answer) : null;
    },
    async answer(agent, id, answers) {
      found(id, questionEntry(agent.workspace, id));
      return answerQuestion(agent.workspace, id, answers).answers;
    },
    async answers(agent, id) {
      return questionEntry(agent.workspace, id)?.answer?.answers ?? null;
    },
  };
}

function found<T>(id: string, entry: T | null): T {
  if (entry === null) throw notFound(id);
  return entry;
}

function countedOf({ decision, reason }: ToolApprovalAnswer): Counted {
  return { status: decision === 'denied' || decision === 'abort' ? 'denied' : 'approved', reason };
}

function noRule(id: string, summary: string): TachoError {
  return new TachoError('INVALID_REQUEST', `there is no safe rule for "${summary.slice(0, 200)}"`, {
    facts: { approval_id: id },
    fix: 'Approve it without remember.',
  });
}
