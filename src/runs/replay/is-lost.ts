import { isAlive, pollUntil, readProcessStat } from '../../files/index.ts';
import { isLocked } from '../../journal/index.ts';
import type { RunRecord } from '../../protocol/index.ts';
import type { RunFolder } from '../../recording/index.ts';

const LET_GO_MS = 2000;
const LET_GO_LOOK_MS = 20;

/** True while the record names a recorder but no process records the run. */
export function isLost({ live }: RunRecord, { audit }: RunFolder): boolean {
  return live !== null && !isLocked(audit);
}

/**
 * The same, for callers that are about to complete the run. A process that was killed a moment ago may still hold its
 * lock: it keeps its files until its last thread has ended, and a child that it had just begun keeps them a little longer.
 */
export async function isLostSoon(record: RunRecord, folder: RunFolder): Promise<boolean> {
  if (record.live === null || !isEnding(record.live.supervisor)) return isLost(record, folder);
  const letGo = await pollUntil(() => !isLocked(folder.audit), { everyMs: LET_GO_LOOK_MS, timeoutMs: LET_GO_MS });
  return letGo !== null;
}

/** Dead, or only not quite: its first thread has ended, and the others are about to. */
function isEnding(supervisor: NonNullable<RunRecord['live']>['supervisor']): boolean {
  return !isAlive(supervisor) || readProcessStat(supervisor.pid)?.state === 'Z';
}
