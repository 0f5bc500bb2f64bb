import { notFound } from '../../approvals/decisions/decision-folder.ts';
import type { QuestionEntry } from '../../approvals/decisions/question-folder.ts';
import type { HumanAnswer } from '../../protocol/index.ts';
import { fromOpenRuns } from './pending-runs.ts';
import { pathsOfId, withDecisionsOf } from './run-decisions.ts';

/** Questions that runs of a workspace wait for, the oldest first; of agents with `human: 'later'`. */
export async function pendingQuestions(workspaceRoot: string): Promise<QuestionEntry[]> {
  const open = await fromOpenRuns(workspaceRoot, {
    take: ({ questions }) => questions.list({ open: true }),
    idOf: ({ question }) => question.question_id,
  });
  return open.sort((one, other) => (one.asked_at < other.asked_at ? -1 : 1));
}

/** A question with its answer, if there is one; null if there is no such question, or it cannot be read. */
export function questionEntry(workspaceRoot: string, id: string): QuestionEntry | null {
  const paths = pathsOfId(workspaceRoot, id, 'q');
  const entries = paths && withDecisionsOf(paths, ({ questions }) => questions.list());
  return entries?.find(({ question }) => question.question_id === id) ?? null;
}

/**
 * Answers the questions of a call that waits, by their ids. Of several answers the first one counts: returned is the one
 * that does. Throws APPROVAL_NOT_FOUND, and INVALID_REQUEST for an answer that does not fit.
 */
export function answerQuestion(
  workspaceRoot: string,
  id: string,
  answers: Readonly<Record<string, string>>,
  { by = 'user' }: { by?: string | undefined } = {},
): HumanAnswer {
  const paths = pathsOfId(workspaceRoot, id, 'q');
  const answer = { answers: { ...answers }, by };
  const given = paths && withDecisionsOf(paths, ({ questions }) => questions.answer(id, answer));
  if (!given) throw notFound(id);
  return given;
}
