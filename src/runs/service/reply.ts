import { createHash } from 'node:crypto';
import { type Reply, type ReplyAnswer, type RunRecord, TachoError } from '../../protocol/index.ts';
import { nextAttempt, type RunFolder, readRunRecord } from '../../recording/index.ts';
import type { RunContext } from '../context.ts';
import type { RunRequest } from '../request.ts';
import { replyTo } from '../resume.ts';
import { findReply, rememberReply } from '../run-index/reply-file.ts';
import { queueReply } from './queue-attempt.ts';
import { type RunSettings, readRunSettings } from './run-settings.ts';
import { hasEnded } from './run-view.ts';

/**
 * Accepts a reply to the open question: one winner among all who reply, since the question is looked at again under
 * the run's lock. The same key with the same reply gets the first answer again.
 */
export async function acceptReply(
  folder: RunFolder,
  reply: Reply,
  context: RunContext,
): Promise<{ answer: ReplyAnswer; record: RunRecord }> {
  const digest = createHash('sha256')
    .update(JSON.stringify([reply.interaction_id, reply.text]))
    .digest('hex');
  const earlier = () => answeredBefore(folder, reply, digest);
  const known = earlier();
  if (known) return { answer: known, record: readRunRecord(folder) };
  const request = requestFor(folder, checkOpen(folder, reply), reply);
  let answer: ReplyAnswer | null = null;
  const record = await queueReply(folder, request, context, () => {
    // Meanwhile another one may have replied, or the same one again.
    answer = earlier();
    if (answer) throw new AlreadyAnswered();
    const open = checkOpen(folder, reply);
    const accepted_at = new Date().toISOString();
    answer = { run_id: folder.runId, interaction_id: reply.interaction_id, attempt: nextAttempt(folder), accepted_at };
    if (reply.idempotency_key !== undefined) rememberReply(folder, { key: reply.idempotency_key, digest, answer });
    return open;
  }).catch((error: unknown) => {
    if (error instanceof AlreadyAnswered) return readRunRecord(folder);
    throw error;
  });
  return { answer: answer!, record };
}

/** Leaves the lock without queueing anything. */
class AlreadyAnswered extends Error {}

function answeredBefore(folder: RunFolder, reply: Reply, digest: string): ReplyAnswer | null {
  if (reply.idempotency_key === undefined) return null;
  const known = findReply(folder, reply.idempotency_key);
  if (!known) return null;
  if (known.digest === digest) return known.answer;
  throw new TachoError('IDEMPOTENCY_CONFLICT', `the key "${reply.idempotency_key}" came with another reply before`, {
    fix: 'Use a new key for a new reply.',
  });
}

function checkOpen(folder: RunFolder, reply: Reply): RunRecord {
  const record = readRunRecord(folder);
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
  const most = record.limits?.max_attempts;
  if (most !== undefined && record.attempt >= most) {
    throw new TachoError('RUN_ENDED', `run ${record.handle} has had its ${most} attempts`, {
      facts: { max_attempts: most },
    });
  }
  return record;
}

/** Of a run that was not made by the service. */
const DEFAULTS: RunSettings = {
  env: {},
  passEnv: [],
  capture: 'split',
  captureReason: 'configuration',
  keepTrace: false,
  cols: 120,
  rows: 40,
};

function requestFor(folder: RunFolder, record: RunRecord, reply: Reply): RunRequest {
  const agent = replyTo(record, reply.text, { reopen: false, mode: null, model: null });
  return {
    engine: record.engine,
    command: [record.engine],
    agent,
    announced: true,
    limits: record.limits ?? {},
    conversation: true,
    cwd: record.cwd,
    runSelector: null,
    ...DEFAULTS,
    ...readRunSettings(folder),
    interactive: false,
    exclusive: true,
  };
}
