import { createHash } from 'node:crypto';
import {
  hasEnded,
  type Reply,
  type ReplyAnswer,
  type RunRecord,
  type SettledReply,
  statusPhrase,
  TachoError,
} from '../../protocol/index.ts';
import { nextAttempt, type RunFolder } from '../../recording/index.ts';
import { openJournal, type RunContext } from '../context.ts';
import { whenLeft } from '../replay/when-sealed.ts';
import { recordedRequest, recordedSkills } from '../request/recorded-request.ts';
import { settleRequest } from '../request/settle-request.ts';
import { readStoredRequest } from '../request/stored-request.ts';
import { requireSealed } from '../seals/require-sealed.ts';
import { readRun } from '../state/record-file.ts';
import { answerQuestion, type CountedReply } from './answer-question.ts';
import { answerOwnProgram, isOfOwnProgram } from './own-program.ts';
import { type NextAttempt, queueReply } from './queue-attempt.ts';
import { continueFix, replyTo } from './resume.ts';

/**
 * Accepts a reply to the open question: exactly one of several, since the question is checked again under the run's
 * lock. The same key with the same reply gets the first answer again.
 */
export async function acceptReply(folder: RunFolder, reply: Reply, context: RunContext): Promise<ReplyAnswer> {
  const before = await readRun(folder, openJournal(folder, context.config));
  const known = answeredBefore(before, reply);
  if (known) return known;
  checkOpen(before, reply);
  if (isOfOwnProgram(before)) return await answerOwnProgram(folder, before, reply, context);
  // The question is open before the attempt is sealed, and sealing may take longer than the timeout of the lock.
  await whenLeft(folder, before, { recovers: true });
  await requireSealed(folder, context);
  let answer: ReplyAnswer | null = null;
  let earlier: CountedReply | null = null;
  await queueReply(folder, context, async (record, accepted_at) => {
    // Another client may have replied meanwhile, or the same one again.
    answer = answeredBefore(record, reply);
    if (answer) return null;
    checkOpen(record, reply);
    const { interaction_id, idempotency_key: key } = reply;
    const counted = await answerQuestion(record, reply, context);
    answer = { run_id: folder.runId, interaction_id, attempt: nextAttempt(folder), accepted_at };
    const next = nextFor(folder, record, counted, context);
    // The run continues with the answer that counts, whoever finds it.
    if (counted.isEarlier) earlier = counted;
    return key === undefined || counted.isEarlier ? next : { ...next, idempotency: { key, digest: digestOf(reply) } };
  });
  if (earlier) throw answeredElsewhere(reply, earlier);
  return answer!;
}

function answeredElsewhere({ interaction_id }: Reply, { answers }: CountedReply): TachoError {
  return new TachoError('REPLY_STALE', `question ${interaction_id} was answered before; the first answer counts`, {
    facts: { answers },
    fix: 'Look at the run again: it continues with that answer.',
  });
}

function answeredBefore({ run_id, replies = [] }: RunRecord, reply: Reply): ReplyAnswer | null {
  const known = replies.find(({ key }) => key === reply.idempotency_key);
  if (!known) return null;
  const { interaction_id, attempt, accepted_at, digest } = known;
  if (digest === digestOf(reply)) return { run_id, interaction_id, attempt, accepted_at };
  throw new TachoError('IDEMPOTENCY_CONFLICT', `the key "${reply.idempotency_key}" came with another reply before`, {
    fix: 'Use a new key for a new reply.',
  });
}

function digestOf({ interaction_id, text, answers = {} }: Reply): string {
  const said = text ?? Object.entries(answers).sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([interaction_id, said]))
    .digest('hex');
}

function checkOpen(record: RunRecord, reply: Reply): void {
  if (hasEnded(record)) {
    throw new TachoError('RUN_ENDED', `run ${record.handle} ${statusPhrase(record)}; it is not waiting for an answer`, {
      facts: { status: record.status },
      fix: continueFix(record),
    });
  }
  if (record.status !== 'waiting_user' || record.question?.interaction_id !== reply.interaction_id) {
    throw new TachoError('REPLY_STALE', `question ${reply.interaction_id} of run ${record.handle} is not open`, {
      facts: { status: record.status, open: record.question?.interaction_id ?? null },
      fix: 'Look at the run again: another reply may have come first.',
    });
  }
  const most = recordedRequest(record)?.limits.max_attempts;
  if (most !== undefined && record.attempt >= most) {
    throw new TachoError('RUN_ENDED', `run ${record.handle} has had its ${most} attempts`, {
      facts: { max_attempts: most },
    });
  }
}

/** The run's own request; a request of an earlier version is settled again here. */
function nextFor(folder: RunFolder, record: RunRecord, reply: SettledReply, context: RunContext): NextAttempt {
  const order = replyTo(record, reply, { reopen: false });
  const stored = readStoredRequest(folder);
  if (stored) return { request: stored, order };
  return { request: { ...settleRequest(recordedRequest(record)!, context), ...recordedSkills(record) }, order };
}
