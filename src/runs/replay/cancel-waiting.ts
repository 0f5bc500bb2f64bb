import fs from 'node:fs';
import path from 'node:path';
import type { Claim, Journal } from '../../journal/index.ts';
import { hasEnded, type RunRecord, TachoError } from '../../protocol/index.ts';
import { nextAttempt, type RunFolder, readRunRecord, runFolderAt } from '../../recording/index.ts';
import { AttemptLog } from '../attempt/attempt-log.ts';
import { ConversationFile } from '../attempt/conversation-file.ts';
import { Correlator } from '../attempt/correlation/correlator.ts';
import { statusDraft } from '../attempt/drafts.ts';
import type { RunContext } from '../context.ts';
import { checkCancel, removeCancelRequest, runsToCancel } from '../request/cancel-request.ts';
import { recordedProfile } from '../request/recorded-request.ts';
import { RecordFile } from '../state/record-file.ts';
import { withRunLock } from '../state/with-run-lock.ts';
import { closeRun } from './close-run.ts';

/** Ends a run that is not being recorded. Throws RUN_LOCKED when a process records it or is about to. */
export function cancelWaiting(folder: RunFolder, context: RunContext): Promise<RunRecord> {
  return withRunLock(
    folder,
    context,
    async (journal, claim) => {
      const file = await RecordFile.open(folder, journal);
      await closeAsCanceled({ folder, file, context }, journal, claim);
      return file.record;
    },
    0,
  );
}

/** Requires the run's lock. An ended run is not changed. */
export async function closeAsCanceled(
  { folder, file, context }: { folder: RunFolder; file: RecordFile; context: RunContext },
  journal: Journal,
  claim: Claim,
): Promise<void> {
  const { engine, ...current } = file.record;
  if (hasEnded(current)) return;
  const drafts = { attempt: nextAttempt(folder), engine };
  const profile = recordedProfile(file.record);
  const log = new AttemptLog({
    journal,
    claim,
    auditFolder: folder.audit,
    record: file,
    correlator: await Correlator.resume(journal, claim, current.cwd),
    profile,
    conversation: profile.terminalBy === 'engine' ? await ConversationFile.open(folder, journal, drafts.attempt) : null,
  });
  const canceled = statusDraft(drafts, new Date().toISOString(), 'canceled', { reason_code: 'CANCELED' });
  await closeRun({ folder, file, context }, log, [canceled]);
}

interface CarriedOut {
  canceled: string[];
  failed: { runId: string; message: string }[];
}

/**
 * Carries out cancel requests that are still pending: the requesting process died, or the attempt ended with a question
 * before its recorder saw the request. Returns the reasons for runs that failed.
 */
export async function carryOutCancels(context: RunContext): Promise<CarriedOut> {
  const carriedOut: CarriedOut = { canceled: [], failed: [] };
  for (const runId of runsToCancel(context.home)) {
    const folder = runFolderAt(path.join(context.home.runs, runId));
    try {
      const record = fs.existsSync(folder.path) ? readRunRecord(folder) : null;
      if (record === null || hasEnded(record)) removeCancelRequest(folder);
      else if (checkCancel(folder) && record.live === null) {
        await cancelWaiting(folder, context);
        carriedOut.canceled.push(runId);
      }
    } catch (error) {
      if (error instanceof TachoError && error.code === 'RUN_LOCKED') continue; // The lock's holder will find it.
      carriedOut.failed.push({ runId, message: (error as Error).message });
    }
  }
  return carriedOut;
}
