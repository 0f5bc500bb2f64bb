import { isAlive, pollUntil, readProcessStat } from '../../files/index.ts';
import { isLocked } from '../../journal/index.ts';
import type { RunRecord } from '../../protocol/index.ts';
import type { RunFolder } from '../../recording/index.ts';

const RELEASE_TIMEOUT_MS = 2000;
const RELEASE_POLL_MS = 20;

/** True while the record names a recorder but no process records the run. */
export function isLost({ live }: RunRecord, { audit }: RunFolder): boolean {
  return live !== null && !isLocked(audit);
}

/**
 * The same, for callers that are about to complete the run. A process that was just killed may still hold its lock: it
 * keeps its files until its last thread has ended, and a child it has just started keeps them a little longer.
 */
export async function isLostSoon(record: RunRecord, folder: RunFolder): Promise<boolean> {
  if (record.live === null || !isEnding(record.live.supervisor)) return isLost(record, folder);
  const released = await pollUntil(() => !isLocked(folder.audit), {
    everyMs: RELEASE_POLL_MS,
    timeoutMs: RELEASE_TIMEOUT_MS,
  });
  return released !== null;
}

/** Dead or dying: its first thread has ended, and the others are about to. */
function isEnding(supervisor: NonNullable<RunRecord['live']>['supervisor']): boolean {
  return !isAlive(supervisor) || readProcessStat(supervisor.pid)?.state === 'Z';
}
