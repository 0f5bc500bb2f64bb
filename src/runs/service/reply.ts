import { createHash } from 'node:crypto';
import type { Journal } from '../../journal/index.ts';
import { hasEnded, type Reply, type ReplyAnswer, type RunRecord, TachoError } from '../../protocol/index.ts';
import { nextAttempt, type RunFolder, readRunRecord } from '../../recording/index.ts';
import { openJournal, type RunContext } from '../context.ts';
import { recordedRequest } from '../request/recorded-request.ts';
import { settleRequest } from '../request/settle-request.ts';
import { readStoredRequest } from '../request/stored-request.ts';
import { completeAnnounced, wasAnnounced } from './announced-reply.ts';
import { type NextAttempt, queueReply } from './queue-attempt.ts';
import { findReply, rememberReply } from './reply-file.ts';
import { replyTo } from './resume.ts';

/**
 * Accepts a reply to the open question: one winner among all who reply, since the question is looked at again under
 * the run's lock. The same key with the same reply gets the first answer again.
 */
export async function acceptReply(folder: RunFolder, reply: Reply, context: RunContext): Promise<ReplyAnswer> {
  // Read first: a question that is closed by now was closed after the events were kept that are looked for next.
  const before = readRunRecord(folder);
  const known = await answeredBefore(folder, reply, openJournal(folder, context.config));
  if (known) return known;
  checkOpen(before, reply);
  let answer: ReplyAnswer | null = null;
  try {
    await queueReply(folder, context, async (journal, accepted_at) => {
      const record = await completeAnnounced(folder, journal);
      // Meanwhile another one may have replied, or the same one again.
      answer = await answeredBefore(folder, reply, journal);
      if (answer) throw new AlreadyAnswered();
      checkOpen(record, reply);
      const { interaction_id, idempotency_key: key } = reply;
      answer = { run_id: folder.runId, interaction_id, attempt: nextAttempt(folder), accepted_at };
      const next = nextFor(folder, record, reply, context);
      if (key !== undefined) rememberReply(folder, { key, digest: digestOf(reply), answer });
      return { record, next };
    });
  } catch (error) {
    if (!(error instanceof AlreadyAnswered)) throw error;
  }
  return answer!;
}

/** Leaves the lock without queueing anything. */
class AlreadyAnswered extends Error {}

async function answeredBefore(folder: RunFolder, reply: Reply, journal: Journal): Promise<ReplyAnswer | null> {
  const known = reply.idempotency_key === undefined ? null : findReply(folder, reply.idempotency_key);
  if (!known || !(await wasAnnounced(journal, known.answer))) return null;
  if (known.digest === digestOf(reply)) return known.answer;
  throw new TachoError('IDEMPOTENCY_CONFLICT', `the key "${reply.idempotency_key}" came with another reply before`, {
    fix: 'Use a new key for a new reply.',
  });
}

function digestOf({ interaction_id, text }: Reply): string {
  return createHash('sha256')
    .update(JSON.stringify([interaction_id, text]))
    .digest('hex');
}

function checkOpen(record: RunRecord, reply: Reply): void {
  if (hasEnded(record)) {
    throw new TachoError('RUN_ENDED', `run ${record.handle} is ${record.status}; nobody there waits for an answer`, {
      facts: { status: record.status },
      fix: `To go on with it all the same: tacho resume --reopen ${record.handle} "…"`,
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

/** The run's own request again; that of an earlier version is settled here once more. */
function nextFor(folder: RunFolder, record: RunRecord, reply: Reply, context: RunContext): NextAttempt {
  const order = replyTo(record, reply.text, { reopen: false });
  return { request: readStoredRequest(folder) ?? settleRequest(recordedRequest(record)!, context), order };
}
