import fs from 'node:fs';
import path from 'node:path';
import type { AgentAnswer } from '../../protocol/index.ts';
import { withDecisionsOf } from '../pending/run-decisions.ts';
import type { RunPaths } from '../wal/run-folder.ts';

/** Adds decisions and answers that are kept beside the log, and that the run has not taken up yet. */
export function withKeptDecisions(answer: AgentAnswer, paths: RunPaths): AgentAnswer {
  const approvals = answer.approvals.filter(
    ({ approval_id, decision }) => decision === null && isDecided(paths, 'approvals', approval_id),
  );
  const questions = answer.questions.filter(
    ({ question_id, answers }) => answers === null && isDecided(paths, 'questions', question_id),
  );
  if (approvals.length + questions.length === 0) return answer;
  const decided = new Map<string, object>();
  try {
    withDecisionsOf(paths, (kept) => {
      for (const { approval_id } of approvals) {
        const { answer: given, decided_at } = kept.approvals.get(approval_id);
        if (given) {
          const { decision, reason: decided_reason, by } = given;
          decided.set(approval_id, { decision, decided_at, decided_reason, by });
        }
      }
      for (const { question_id } of questions) {
        const { answer: given } = kept.questions.get(question_id);
        if (given) decided.set(question_id, { answers: given.answers, by: given.by });
      }
    });
  } catch {
    return answer; // A damaged vault or a changed request: resuming the run says more about it.
  }
  return {
    ...answer,
    approvals: answer.approvals.map((one) => ({ ...one, ...decided.get(one.approval_id) })),
    questions: answer.questions.map((one) => ({ ...one, ...decided.get(one.question_id) })),
  };
}

/** A look that needs no key: most requests are pending for a while. */
function isDecided({ folder }: RunPaths, kind: 'approvals' | 'questions', id: string): boolean {
  return !id.includes('/') && fs.existsSync(path.join(folder, kind, `${id}.decision.json`));
}
