import type { HumanAnswer, HumanQuestion, ToolApprovalAnswer, ToolApprovalRequest } from '../../protocol/index.ts';
import type { ApprovalFolder } from '../decisions/approval-folder.ts';
import type { QuestionFolder } from '../decisions/question-folder.ts';
import { isWithin } from '../policy/suggest-rule.ts';
import type { Approver } from './approver.ts';
import { DecidedElsewhere } from './decided-elsewhere.ts';

/** Asks an approver of this process, while any other process may decide in the folder. The first decision counts. */
export function sharedApprover(folder: ApprovalFolder, approver: Approver): Approver {
  return {
    async decide(request, signal) {
      const { approval_id: id, digest } = request;
      const { answer } = folder.request(request);
      if (answer) return answer;
      const keep = (given: ToolApprovalAnswer) => folder.decide(id, keptAnswer(given, request), { digest });
      return await firstOf(signal, {
        here: async (stop) => {
          const given = await approver.decide(request, stop).catch((error) => failedAnswer(error, stop));
          return given === 'later' ? given : keep(given);
        },
        elsewhere: (stop) => folder.wait(id, stop),
      });
    },
  };
}

type Asker = { ask(question: HumanQuestion, signal: AbortSignal): Promise<HumanAnswer | 'later'> };

/** The same for questions. */
export function sharedAsker(folder: QuestionFolder, asker: Asker): Asker {
  return {
    async ask(question, signal) {
      const { answer } = folder.ask(question);
      if (answer) return answer;
      return await firstOf(signal, {
        here: async (stop) => {
          const given = await asker.ask(question, stop);
          return given === 'later' ? given : folder.answer(question.question_id, given);
        },
        elsewhere: (stop) => folder.wait(question.question_id, stop),
      });
    },
  };
}

/** Whichever comes first; the other one is stopped. */
async function firstOf<T>(
  signal: AbortSignal,
  { here, elsewhere }: { here(stop: AbortSignal): Promise<T>; elsewhere(stop: AbortSignal): Promise<T> },
): Promise<T> {
  const over = new AbortController();
  const stop = AbortSignal.any([signal, over.signal]);
  const both = [here(stop), elsewhere(stop)];
  for (const one of both) one.catch(() => {});
  try {
    return await Promise.race(both);
  } finally {
    over.abort(new DecidedElsewhere());
  }
}

/** A rule that was not suggested is not accepted by the loop either: the decision is for this call alone then. */
function keptAnswer(
  { rule: given, ...answer }: ToolApprovalAnswer,
  { suggested_rule }: ToolApprovalRequest,
): ToolApprovalAnswer {
  if (answer.decision !== 'approved_with_rule') return { ...answer, rule: null };
  const rule = given ?? suggested_rule;
  const isSuggested = rule !== null && suggested_rule !== null && isWithin(rule, suggested_rule);
  return isSuggested ? { ...answer, rule } : { ...answer, decision: 'approved', rule: null };
}

/** Kept like any other decision, so that nothing waits for one that no longer counts. */
function failedAnswer(error: unknown, stop: AbortSignal): ToolApprovalAnswer {
  stop.throwIfAborted();
  const reason = `the approver failed: ${error instanceof Error ? error.message : String(error)}`;
  return { decision: 'denied', reason, rule: null, by: 'approver' };
}
