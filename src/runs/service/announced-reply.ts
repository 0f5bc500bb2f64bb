import type { Journal } from '../../journal/index.ts';
import { isEvent, type RaspEvent, type ReplyAnswer, type RunRecord } from '../../protocol/index.ts';
import { priorityOf } from '../../record/index.ts';
import { nextAttempt, type RunFolder, readRunRecord, writeRunRecord } from '../../recording/index.ts';
import { readPendingAttempt, removePendingAttempt } from './pending-attempt.ts';

type Accepted = RaspEvent<'interaction.reply.accepted'>;

/** True when the events say what was answered: an answer is remembered first, and a crash may have come in between. */
export async function wasAnnounced(journal: Journal, answer: ReplyAnswer): Promise<boolean> {
  const { run_id, interaction_id, attempt, accepted_at } = answer;
  const range = { fromTs: accepted_at, toTs: accepted_at };
  const said = await findAccepted(journal.read(run_id, range), attempt);
  return said?.data.interaction_id === interaction_id;
}

/**
 * The record, brought up to the events where a crash came between the two: a reply that was said is carried out. The
 * caller holds the run's lock.
 */
export async function completeAnnounced(folder: RunFolder, journal: Journal): Promise<RunRecord> {
  const record = readRunRecord(folder);
  if (record.status !== 'waiting_user' || readPendingAttempt(folder) === null) return record;
  const said = await findAccepted(journal.read(folder.runId), nextAttempt(folder));
  if (!said) {
    removePendingAttempt(folder);
    return record;
  }
  const queued = queuedRecord(record, said);
  writeRunRecord(folder, queued);
  return queued;
}

export function queuedRecord(record: RunRecord, { ts, seq }: Pick<RaspEvent, 'ts' | 'seq'>): RunRecord {
  return {
    ...record,
    status: 'queued',
    question: null,
    head_seq: seq,
    queue: { priority: priorityOf(record), at: ts },
    updated_at: new Date().toISOString(),
  };
}

async function findAccepted(events: AsyncIterable<RaspEvent[]>, attempt: number): Promise<Accepted | null> {
  let found: Accepted | null = null;
  for await (const batch of events) {
    for (const event of batch) {
      if (event.attempt_number === attempt && isEvent(event, 'interaction.reply.accepted')) found = event;
    }
  }
  return found;
}
