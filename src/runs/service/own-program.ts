import { type Reply, type ReplyAnswer, type RunRecord, TachoError } from '../../protocol/index.ts';
import { nextAttempt, type RunFolder } from '../../recording/index.ts';
import type { RunContext } from '../context.ts';
import { recordedRequest } from '../request/recorded-request.ts';
import { answerQuestion } from './answer-question.ts';

/** A run of an agent in a program of the user: tacho shows it, and cannot start its next attempt. */
export function isOfOwnProgram(record: RunRecord): boolean {
  return record.engine === 'agent' && recordedRequest(record)?.engine === undefined;
}

/**
 * Answers the open question of such a run, in the folder of the agent. Its program takes the answer, at once or when it
 * resumes the run. Throws REPLY_STALE if the question was answered before.
 */
export async function answerOwnProgram(
  folder: RunFolder,
  record: RunRecord,
  reply: Reply,
  context: RunContext,
): Promise<ReplyAnswer> {
  const { handle, cwd, session_id, question } = record;
  const { interaction_id } = reply;
  if (!question?.questions || !session_id) {
    throw new TachoError('REPLY_STALE', `run ${handle} waits for an approval, and not for an answer`, {
      facts: { interaction_id },
      fix: 'List what is pending with: tacho approvals',
    });
  }
  // The id of the agent's own question, in whichever attempt it was asked.
  const question_id = interaction_id.replace(/^\d+\./, '');
  const agent = { workspace: cwd, run_id: session_id, question_id };
  const counted = await answerQuestion({ question: { ...question, agent } }, reply, context);
  if (counted.isEarlier) {
    throw new TachoError('REPLY_STALE', `question ${interaction_id} was answered before; the first answer counts`, {
      facts: { answers: counted.answers },
    });
  }
  const attempt = record.live === null ? nextAttempt(folder) : record.attempt;
  return { run_id: folder.runId, interaction_id, attempt, accepted_at: new Date().toISOString() };
}
