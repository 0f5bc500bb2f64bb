import { hasEnded, TachoError } from '../../protocol/index.ts';
import { nextAttempt, type RunFolder } from '../../recording/index.ts';
import { AttemptLog } from '../attempt/attempt-log.ts';
import { ConversationFile } from '../attempt/conversation-file.ts';
import { Correlator } from '../attempt/correlation/correlator.ts';
import { failureDraft, statusDraft } from '../attempt/drafts.ts';
import type { RunContext } from '../context.ts';
import { closeRun } from '../replay/close-run.ts';
import { recordedProfile } from '../request/recorded-request.ts';
import { RecordFile } from '../state/record-file.ts';
import { withRunLock } from '../state/with-run-lock.ts';

/** Ends a run whose attempt could not begin, for example because its program was removed while it waited. */
export async function failToStart(folder: RunFolder, context: RunContext, cause: unknown): Promise<void> {
  const error = cause instanceof TachoError ? cause : new TachoError('INTERNAL', String(cause), { cause });
  if (error.code === 'RUN_LOCKED' || error.code === 'RUN_ENDED') return; // Another process records it, or ended it.
  await withRunLock(folder, context, async (journal, claim) => {
    const attempt = nextAttempt(folder);
    const now = new Date().toISOString();
    const file = await RecordFile.open(folder, journal);
    const { record } = file;
    // A cancel removes files that a supervisor needs.
    if (hasEnded(record)) return;
    const drafts = { attempt, engine: record.engine };
    const profile = recordedProfile(record);
    const log = new AttemptLog({
      journal,
      claim,
      auditFolder: folder.audit,
      record: file,
      correlator: await Correlator.resume(journal, claim, record.cwd),
      profile,
      conversation: record.engine !== 'text' ? await ConversationFile.open(folder, journal, attempt) : null,
    });
    await closeRun({ folder, file, context }, log, [
      failureDraft(drafts, now, 'start', error),
      statusDraft(drafts, now, 'failed', { reason_code: error.code }),
    ]);
  });
}
