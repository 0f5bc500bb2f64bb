import { engineOf } from '../../engines/index.ts';
import { type RunRecord, TachoError } from '../../protocol/index.ts';
import { interactionId } from '../attempt/drafts.ts';
import { type AttemptOrder, FIRST_ATTEMPT } from '../request/attempt-order.ts';
import { recordedRequest } from '../request/recorded-request.ts';

/** What the next attempt of a run is to be, when it continues the engine's session with a message. */
export function replyTo(record: RunRecord, message: string, { reopen }: { reopen: boolean }): AttemptOrder {
  const { handle, status } = record;
  const { capabilities, title } = engineOf(record.engine);
  if (!capabilities.resume || recordedRequest(record) === null) {
    throw new TachoError('SESSION_UNKNOWN', `${title} cannot be resumed: run ${handle} has no session to continue`, {
      facts: { engine: record.engine },
      fix: `One more attempt from the beginning: tacho run --run-dir ${handle} -- …`,
    });
  }
  const waits = status === 'waiting_user';
  if (!waits && !reopen) {
    throw new TachoError('RUN_ENDED', `run ${handle} is ${status}; it is not waiting for an answer`, {
      facts: { status },
      fix: `To continue it anyway: tacho resume --reopen ${handle} "…"`,
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
    text: message,
    session: record.session_id,
    interaction_id: waits ? interactionId(record.attempt) : null,
  };
}
