import fs from 'node:fs';
import path from 'node:path';
import { isLocked } from '../../journal/index.ts';
import { hasEnded, RUN_RECORD_FILE } from '../../protocol/index.ts';
import { readRunRecord } from '../../recording/index.ts';
import { type AnnouncedRun, announcedRuns, dropDangling } from '../attempt/live-runs.ts';
import { openJournal, type RunContext } from '../context.ts';
import { forgetRun } from '../request/stored-request.ts';
import { removeSkillFolder } from '../skills/skill-folder.ts';
import { RecordFile } from '../state/record-file.ts';
import { withRunLock } from '../state/with-run-lock.ts';
import { carryOutCancels } from './cancel-waiting.ts';
import { completeLostAttempt, removeLeft } from './complete-attempt.ts';

/** Runs that were completed, and those that need attention. */
export interface Recovery {
  completed: string[];
  /** Runs with a cancel request that had not been carried out. */
  canceled: string[];
  failed: { runId: string; message: string }[];
}

/** A younger link to a folder without a record may belong to a recorder that is just starting. */
const BEGINNING_MS = 60_000;
/**
 * Completes every run whose recording process died, and carries out pending cancels. A run that cannot be completed
 * does not stop the others.
 */
export async function recoverLostRuns(context: RunContext): Promise<Recovery> {
  const recovery: Recovery = { completed: [], canceled: [], failed: [] };
  dropDangling(context.home);
  for (const announced of announcedRuns(context.home)) {
    const { runId } = announced.folder;
    try {
      if (await recoverAnnounced(announced, context)) recovery.completed.push(runId);
    } catch (error) {
      recovery.failed.push({ runId, message: (error as Error).message });
    }
  }
  const { canceled, failed } = await carryOutCancels(context);
  recovery.canceled.push(...canceled);
  recovery.failed.push(...failed);
  return recovery;
}

async function recoverAnnounced({ folder, link }: AnnouncedRun, context: RunContext): Promise<boolean> {
  if (!fs.existsSync(path.join(folder.path, RUN_RECORD_FILE))) {
    await settleUnstarted({ folder, link }, context);
    return false;
  }
  const completed = await completeLostAttempt(folder.path, context);
  // The process died after the last event and before the link was removed, or before it changed anything.
  if (!completed && (readRunRecord(folder).live !== null || isLocked(folder.audit))) return false;
  if (!completed) {
    const record = readRunRecord(folder);
    await withRunLock(
      folder,
      context,
      async () => {
        removeLeft(folder, record.attempt, context);
        if (hasEnded(record)) removeSkillFolder(context.home, record.handle);
      },
      0,
    );
  }
  fs.rmSync(link, { force: true });
  return completed;
}

/**
 * A process that died before writing the run's record has recorded nothing, so the run is removed. Except if the first
 * events exist: a queued run writes them before its record, and the record is derived from them.
 */
async function settleUnstarted({ folder, link }: AnnouncedRun, context: RunContext): Promise<void> {
  const locks = fs.existsSync(folder.audit)
    ? fs.readdirSync(folder.audit).filter((name) => /^lock\.\d+$/.test(name))
    : [];
  if (isLocked(folder.audit)) return;
  if (locks.length === 0 && Date.now() - fs.lstatSync(link).ctimeMs < BEGINNING_MS) return;
  const journal = openJournal(folder, context.config);
  fs.mkdirSync(folder.audit, { recursive: true, mode: 0o700 });
  const claim = await journal.claim(folder.runId);
  try {
    if (fs.existsSync(path.join(folder.path, RUN_RECORD_FILE))) return;
    if (claim.lastSeq > 0) await RecordFile.restore(folder, journal);
    else forgetRun(folder);
    fs.rmSync(link, { force: true });
  } finally {
    await journal.release(folder.runId, claim.epoch).catch(() => {});
  }
}
