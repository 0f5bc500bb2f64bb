import { type RunRecord, type SettledReply, statusPhrase, TachoError } from '../../protocol/index.ts';
import { interactionId } from '../attempt/drafts.ts';
import { type AttemptOrder, FIRST_ATTEMPT } from '../request/attempt-order.ts';
import { recordedProfile, recordedRequest } from '../request/recorded-request.ts';

/** The next attempt of a run, which continues the engine's session with a message. */
export function replyTo(
  record: RunRecord,
  { text, answers }: SettledReply,
  { reopen }: { reopen: boolean },
): AttemptOrder {
  const { handle, status } = record;
  const { title } = recordedProfile(record);
  if (!hasSession(record)) {
    throw new TachoError('SESSION_UNKNOWN', `run ${handle} cannot be resumed: it has no session to continue`, {
      facts: { engine: record.engine },
      fix: continueFix(record),
    });
  }
  const waits = status === 'waiting_user';
  if (!waits && !reopen) {
    throw new TachoError('RUN_ENDED', `run ${handle} ${statusPhrase({ status })}; it is not waiting for an answer`, {
      facts: { status },
      fix: continueFix(record),
    });
  }
  if (!record.session_id) {
    throw new TachoError('SESSION_UNKNOWN', `run ${handle} ended before ${title} reported its session`, {
      facts: { engine: record.engine },
      fix: `Start again in the same folder: tacho run ${record.engine} --run-dir ${handle} -- "…"`,
    });
  }
  return {
    ...FIRST_ATTEMPT,
    text,
    ...(answers ? { answers } : {}),
    session: record.session_id,
    interaction_id: waits ? (record.question?.interaction_id ?? interactionId(record.attempt)) : null,
  };
}

/** How to continue a run that does not wait for an answer. */
export function continueFix(record: RunRecord): string {
  const { handle } = record;
  return hasSession(record)
    ? `To continue it anyway: tacho resume --reopen ${handle} "…"`
    : `One more attempt from the beginning: tacho run --run-dir ${handle} …`;
}

/** Commands, whatever they print, and imported runs have none. */
function hasSession(record: RunRecord): boolean {
  return recordedProfile(record).capabilities.resume && recordedRequest(record)?.engine !== undefined;
}
