import type { RunRecord } from '../../protocol/index.ts';
import type { RunFolder } from '../../recording/index.ts';
import { findServer, isRepairForQueue, type RunContext } from '../../runs/index.ts';

/**
 * What a queued run waits for, if no server is there to start it. Null for all others: a live command carries out the repair
 * turn of its own run.
 */
export function needsServer(
  { status, live, queue }: RunRecord,
  folder: RunFolder,
  { home }: RunContext,
): 'start' | 'repair' | null {
  if (status !== 'queued' || live !== null || findServer(home) !== null) return null;
  if (isRepairForQueue(folder)) return 'repair';
  return queue ? 'start' : null;
}
