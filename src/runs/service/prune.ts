import fs from 'node:fs';
import path from 'node:path';
import { bytesIn } from '../../files/index.ts';
import { isLocked } from '../../journal/index.ts';
import { hasEnded, type RunRecord, TachoError } from '../../protocol/index.ts';
import { handleOf, listRunIds, type RunFolder, readRunRecord, runFolderAt } from '../../recording/index.ts';
import type { RunContext } from '../context.ts';
import { removeCancelRequest } from '../request/cancel-request.ts';
import { removePendingAttempt } from '../request/pending-attempt.ts';
import { removeStoredRequest } from '../request/stored-request.ts';
import { enterRemoval } from '../seals/seal-and-enter.ts';
import { removeSkillFolder } from '../skills/skill-folder.ts';
import { withRunLock } from '../state/with-run-lock.ts';

export interface PruneRules {
  /** Only runs that ended longer ago than this. */
  olderThanMs: number | null;
  /** Number of newest runs to keep, however old. */
  keep: number;
  status: RunRecord['status'] | null;
}

export interface Prunable {
  run_id: string;
  status: string;
  ended_at: string;
  bytes: number;
}

/** Runs to remove under the rules, oldest first. Never includes active or unreadable runs. */
export function findPrunable(context: RunContext, rules: PruneRules, now = Date.now()): Prunable[] {
  const ids = listRunIds(context.home.runs);
  return ids.slice(0, Math.max(0, ids.length - rules.keep)).flatMap((runId) => {
    const folder = runFolderAt(path.join(context.home.runs, runId));
    const record = readIfWhole(folder);
    if (!record || !hasEnded(record)) return [];
    const endedAt = record.last?.ended_at ?? record.updated_at;
    if (rules.olderThanMs !== null && now - Date.parse(endedAt) < rules.olderThanMs) return [];
    if (rules.status !== null && record.status !== rules.status) return [];
    return [{ run_id: runId, status: record.status, ended_at: endedAt, bytes: bytesIn(folder.path) }];
  });
}

/** Removes a run with everything it left; waits for its supervisor, which may still be cleaning up. */
export async function removeRun(runId: string, context: RunContext): Promise<void> {
  const folder = runFolderAt(path.join(context.home.runs, runId));
  await withRunLock(folder, context, () => removeFolder(folder, context));
  removeRequests(folder, context);
}

/** Removes a run whose record cannot be read, so that no process can begin to write it; rejects one being written. */
export async function removeUnreadableRun(runId: string, context: RunContext): Promise<void> {
  const folder = runFolderAt(path.join(context.home.runs, runId));
  if (isLocked(folder.audit)) {
    throw new TachoError('RUN_LOCKED', `run ${handleOf(runId)} is being recorded`, {
      fix: 'Wait for it to end, or end its program.',
    });
  }
  await removeFolder(folder, context);
  removeRequests(folder, context);
}

async function removeFolder(folder: RunFolder, context: RunContext): Promise<void> {
  await enterRemoval(folder.runId, context.home);
  fs.rmSync(folder.path, { recursive: true, force: true });
}

function removeRequests(folder: RunFolder, { home }: RunContext): void {
  removePendingAttempt(folder);
  removeStoredRequest(folder);
  removeSkillFolder(home, handleOf(folder.runId));
  removeCancelRequest(folder);
}

function readIfWhole(folder: RunFolder): RunRecord | null {
  try {
    return readRunRecord(folder);
  } catch {
    return null; // An unreadable run needs attention and is not removed.
  }
}
