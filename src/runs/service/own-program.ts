import path from 'node:path';
import { isLocked } from '../../journal/index.ts';
import {
  AGENT_RUNS_FOLDER,
  EVENTS_FILE,
  type Reply,
  type ReplyAnswer,
  type RunRecord,
  TachoError,
} from '../../protocol/index.ts';
import { nextAttempt, type RunFolder } from '../../recording/index.ts';
import type { RunContext } from '../context.ts';
import { recordedRequest } from '../request/recorded-request.ts';
import { readAgentLogEnds } from '../watch/agent-log-ends.ts';
import { answerQuestion } from './answer-question.ts';

/** A run of an agent in a program of the user: tacho shows it, and cannot start its next attempt. */
export function isOfOwnProgram(record: RunRecord): boolean {
  return record.engine === 'agent' && recordedRequest(record)?.engine === undefined;
}

/** Types of events after which nothing follows in the log of an agent. */
const ENDS: readonly unknown[] = ['run_completed', 'run_failed', 'run_cancelled'];

/**
 * Whether a person continues the agent of a run, or has ended it, with `tacho agent resume`: another attempt must not
 * begin then. The watch of agents adds what happens to the run.
 */
export function isContinuedElsewhere({ engine, cwd, session_id }: RunRecord): boolean {
  if (engine !== 'agent' || !session_id) return false;
  const log = path.join(cwd, AGENT_RUNS_FOLDER, session_id, EVENTS_FILE);
  try {
    return isLocked(path.dirname(log)) || ENDS.includes(readAgentLogEnds(log)?.lastType);
  } catch {
    return false; // It cannot be read; the next attempt reports why.
  }
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
