import type { HumanAnswer, HumanQuestion, ToolApprovalAnswer, ToolApprovalRequest } from '../../protocol/index.ts';
import type { ApprovalFolder } from '../decisions/approval-folder.ts';
import type { QuestionFolder } from '../decisions/question-folder.ts';
import type { Approver } from './approver.ts';

/** An answer in full, or the decision alone. */
export type CallbackAnswer = ToolApprovalAnswer | 'approved' | 'approved_for_session' | 'denied' | 'abort' | 'later';

/** Asks a function. One that throws, or answers something else, denies. */
export function callbackApprover(
  decide: (request: ToolApprovalRequest, signal: AbortSignal) => CallbackAnswer | Promise<CallbackAnswer>,
): Approver {
  return {
    async decide(request, signal) {
      try {
        const answer = await decide(request, signal);
        if (answer === 'later') return answer;
        const whole =
          typeof answer === 'string' ? { decision: answer, reason: null, rule: null, by: 'callback' } : answer;
        const { toolApprovalAnswerSchema } = await import('../../protocol/agent/decision.ts');
        return toolApprovalAnswerSchema.parse(whole);
      } catch (error) {
        signal.throwIfAborted();
        const reason = `the approver failed: ${error instanceof Error ? error.message : String(error)}`;
        return { decision: 'denied', reason, rule: null, by: 'callback' };
      }
    },
  };
}

/** Only what the policy allows runs: everything it asks about is denied. */
export function policyOnlyApprover(): Approver {
  return {
    async decide({ reason }) {
      return { decision: 'denied', reason: `the policy does not allow it: ${reason}`, rule: null, by: 'policy' };
    },
  };
}

/** Leaves every decision to a later process: the run ends waiting. */
export function laterApprover(): Approver {
  return { decide: async () => 'later' };
}

/**
 * Puts requests into a folder where any process can decide. Without `waits` the run ends waiting unless there is a
 * decision already.
 */
export function folderApprover(folder: ApprovalFolder, { waits = false }: { waits?: boolean } = {}): Approver {
  return {
    async decide(request, signal) {
      const { answer } = folder.request(request);
      if (answer) return answer;
      return waits ? folder.wait(request.approval_id, signal) : 'later';
    },
  };
}

/** The same for questions. */
export function folderAsker(
  folder: QuestionFolder,
  { waits = false }: { waits?: boolean } = {},
): { ask(question: HumanQuestion, signal: AbortSignal): Promise<HumanAnswer | 'later'> } {
  return {
    async ask(question, signal) {
      const { answer } = folder.ask(question);
      if (answer) return answer;
      return waits ? folder.wait(question.question_id, signal) : 'later';
    },
  };
}
