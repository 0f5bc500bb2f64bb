import { engineOf } from '../../engines/index.ts';
import { hasEnded, type RunRecord, TachoError } from '../../protocol/index.ts';
import { nextAttempt, type RunFolder, readRunRecord } from '../../recording/index.ts';
import { AttemptLog } from '../attempt/attempt-log.ts';
import { ConversationFile } from '../attempt/conversation-file.ts';
import { Correlator } from '../attempt/correlation/correlator.ts';
import { statusDraft } from '../attempt/drafts.ts';
import type { RunContext } from '../context.ts';
import { sendControl } from '../control/control-client.ts';
import { controlPath } from '../control/control-path.ts';
import { closeRun } from '../replay/close-run.ts';
import { RecordFile } from '../state/record-file.ts';
import { withRunLock } from '../state/with-run-lock.ts';

const WAIT_MS = 10_000;
const LOOK_MS = 25;

/**
 * Ends a run: a live one through its supervisor, which still completes its record; one that waits by saying so. A run
 * that is just beginning or just ending is neither for a moment, so it is looked at again until it is one of them.
 */
export async function cancelRun(folder: RunFolder, context: RunContext): Promise<RunRecord> {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    const record = readRunRecord(folder);
    if (hasEnded(record)) return record;
    try {
      if (record.live === null) return await endWaiting(folder, context);
      if (record.status === 'waiting_user') throw new TachoError('RUN_LOCKED', `run ${record.handle} is being sealed`);
      await sendControl(controlPath(context.home, record.handle), { op: 'cancel' });
      return readRunRecord(folder);
    } catch (error) {
      const between = error instanceof TachoError && (error.code === 'RUN_LOCKED' || error.code === 'RUN_NOT_LIVE');
      if (!between || Date.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

function endWaiting(folder: RunFolder, context: RunContext): Promise<RunRecord> {
  return withRunLock(
    folder,
    context,
    async (journal, claim) => {
      const file = await RecordFile.open(folder, journal);
      const { engine, ...current } = file.record;
      if (hasEnded(current)) return file.record;
      const drafts = { attempt: nextAttempt(folder), engine };
      const profile = engineOf(engine);
      const conversation =
        profile.terminalBy === 'engine' ? await ConversationFile.open(folder, journal, nextAttempt(folder)) : null;
      const log = new AttemptLog({
        journal,
        claim,
        auditFolder: folder.audit,
        record: file,
        correlator: await Correlator.resume(journal, claim, current.cwd),
        profile,
        conversation,
      });
      const now = new Date().toISOString();
      const canceled = statusDraft(drafts, now, 'canceled', { reason_code: 'CANCELED' });
      await closeRun({ folder, file, context }, log, [canceled]);
      return file.record;
    },
    0,
  );
}
