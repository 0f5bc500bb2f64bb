import { isDeepStrictEqual } from 'node:util';
import {
  answersText,
  type Reply,
  type RunRecord,
  type SettledReply,
  settleReply,
  TachoError,
} from '../../protocol/index.ts';
import type { RunContext } from '../context.ts';

/** What the next attempt is told, and whether that is an answer which came before the reply, by another way. */
export interface CountedReply extends SettledReply {
  isEarlier: boolean;
}

/**
 * Checks a reply against the open question. The question of our own agent is answered in the folder of the agent's run,
 * where the first answer counts. Throws INVALID_REQUEST, which names the choices.
 */
export async function answerQuestion(
  { question }: Pick<RunRecord, 'question'>,
  reply: Pick<Reply, 'text' | 'answers'>,
  { agents }: Pick<RunContext, 'agents'>,
): Promise<CountedReply> {
  if (!question) return { text: reply.text ?? '', isEarlier: false };
  const settled = settleReply(question, reply);
  const { agent, questions = [] } = question;
  if (!agent || !agents || !settled.answers) return { ...settled, isEarlier: false };
  const counted = await agents.answer(agent, agent.question_id, settled.answers).catch(unlessMissing);
  // Its process died before the question was stored; the next attempt takes the reply as the answer.
  if (counted === null) return { ...settled, isEarlier: false };
  if (isDeepStrictEqual({ ...counted }, settled.answers)) return { ...settled, isEarlier: false };
  return { text: answersText(counted, questions), answers: { ...counted }, isEarlier: true };
}

function unlessMissing(error: unknown): null {
  if (error instanceof TachoError && error.code === 'APPROVAL_NOT_FOUND') return null;
  throw error;
}
