import fs from 'node:fs';
import path from 'node:path';
import { hasEnded, type RunRecord } from '../../protocol/index.ts';
import { listRunIds, type RunFolder, readRunRecord, runFolderAt } from '../../recording/index.ts';
import type { RunContext } from '../context.ts';
import { removeCancelRequest } from '../request/cancel-request.ts';
import { removePendingAttempt } from '../request/pending-attempt.ts';
import { removeStoredRequest } from '../request/stored-request.ts';
import { enterRemoval } from '../seals/seal-and-enter.ts';
import { withRunLock } from '../state/with-run-lock.ts';

export interface PruneRules {
  /** Only runs that ended longer ago than this. */
  olderThanMs: number | null;
  /** The newest ones stay, however old they are. */
  keep: number;
  status: RunRecord['status'] | null;
}

export interface Prunable {
  run_id: string;
  status: string;
  ended_at: string;
  bytes: number;
}

/** Runs the rules let go, oldest first. A run that has not ended, or cannot be read, is never one of them. */
export function findPrunable(context: RunContext, rules: PruneRules, now = Date.now()): Prunable[] {
  const ids = listRunIds(context.home.runs);
  return ids.slice(0, Math.max(0, ids.length - rules.keep)).flatMap((runId) => {
    const folder = runFolderAt(path.join(context.home.runs, runId));
    const record = readIfWhole(folder);
    if (!record || !hasEnded(record)) return [];
    const endedAt = record.last?.ended_at ?? record.updated_at;
    if (rules.olderThanMs !== null && now - Date.parse(endedAt) < rules.olderThanMs) return [];
    if (rules.status !== null && record.status !== rules.status) return [];
    return [{ run_id: runId, status: record.status, ended_at: endedAt, bytes: sizeOf(folder.path) }];
  });
}

/** Removes a run with all it left; its supervisor may still be putting things away, and is waited for. */
export async function removeRun(runId: string, context: RunContext): Promise<void> {
  const folder = runFolderAt(path.join(context.home.runs, runId));
  await withRunLock(folder, context, async () => {
    await enterRemoval(runId, context.home);
    fs.rmSync(folder.path, { recursive: true, force: true });
  });
  removePendingAttempt(folder);
  removeStoredRequest(folder);
  removeCancelRequest(folder);
}

function readIfWhole(folder: RunFolder): RunRecord | null {
  try {
    return readRunRecord(folder);
  } catch {
    return null; // What cannot be read is for a person to look at, not to be thrown away.
  }
}

function sizeOf(folder: string): number {
  let bytes = 0;
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += fs.lstatSync(path.join(entry.parentPath ?? entry.path, entry.name)).size;
  }
  return bytes;
}
