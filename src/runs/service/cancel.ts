import { engineOf } from '../../engines/index.ts';
import type { RunRecord } from '../../protocol/index.ts';
import { nextAttempt, type RunFolder, readRunRecord, writeRunRecord } from '../../recording/index.ts';
import { AttemptLog } from '../attempt-log.ts';
import type { RunContext } from '../context.ts';
import { ConversationFile } from '../conversation-file.ts';
import { statusDraft } from '../drafts.ts';
import { sendControl } from './control-client.ts';
import { controlPath } from './control-path.ts';
import { removePendingAttempt } from './pending-attempt.ts';
import { hasEnded } from './run-view.ts';
import { withRunLock } from './with-run-lock.ts';

const ENDING_MS = 3000;

async function hasEndedSoon(folder: RunFolder): Promise<boolean> {
  const deadline = Date.now() + ENDING_MS;
  while (Date.now() < deadline) {
    if (readRunRecord(folder).live === null) return true;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return false;
}

/** Ends a run: a live one through its supervisor, which still completes its record; one that waits by saying so. */
export async function cancelRun(folder: RunFolder, context: RunContext): Promise<RunRecord> {
  const record = readRunRecord(folder);
  if (hasEnded(record)) return record;
  if (record.live !== null) {
    try {
      await sendControl(controlPath(context.home, record.handle), { op: 'cancel' });
    } catch (error) {
      // It may be ending by itself, and its record a moment behind.
      if (!(await hasEndedSoon(folder))) throw error;
    }
    return readRunRecord(folder);
  }
  return withRunLock(folder, context, async (journal, claim) => {
    const current = readRunRecord(folder);
    if (hasEnded(current) || current.live !== null) return current;
    const drafts = { attempt: Math.max(1, nextAttempt(folder) - 1), engine: current.engine };
    const profile = engineOf(current.engine);
    const conversation = profile.terminalBy === 'engine' ? await ConversationFile.open(folder, journal) : null;
    const log = new AttemptLog({ journal, claim, auditFolder: folder.audit, profile, conversation });
    const now = new Date().toISOString();
    await log.append([statusDraft(drafts, now, 'canceled', { reason_code: 'CANCELED' })]);
    removePendingAttempt(folder);
    const canceled: RunRecord = {
      ...current,
      status: 'canceled',
      question: null,
      head_seq: log.chain.seq,
      updated_at: now,
    };
    writeRunRecord(folder, canceled);
    return canceled;
  });
}
