import { hasEnded, type SettledRequest, TachoError } from '../../protocol/index.ts';
import { readRunRecord, runFolderAt } from '../../recording/index.ts';
import type { RunWatcher } from '../attempt/programs/run-watcher.ts';
import { type RunOutcome, supervise } from '../attempt/supervise.ts';
import type { RunContext } from '../context.ts';
import { cancelWaiting } from '../replay/cancel-waiting.ts';
import { isCancelRequested } from '../request/cancel-request.ts';
import { readPendingAttempt, removePendingAttempt } from '../request/pending-attempt.ts';
import { failToStart } from './fail-to-start.ts';

/**
 * Carries out the repair turn that an attempt of this process has left, in the same process. Returns how the run ended: a
 * cancel between the two attempts counts.
 */
export async function superviseRepair(
  { request, outcome }: { request: SettledRequest; outcome: RunOutcome },
  context: RunContext,
  watcher: RunWatcher,
): Promise<RunOutcome> {
  const folder = runFolderAt(outcome.runDir);
  if (isCancelRequested(folder)) await cancelWaiting(folder, context);
  const order = readPendingAttempt(folder);
  // Canceled meanwhile.
  if (!order) return { ...outcome, status: readRunRecord(folder).status };
  try {
    return await supervise({ request, order: { ...order, repairsHere: true } }, context, {
      ...watcher,
      prepared(run) {
        removePendingAttempt(folder);
        watcher.prepared?.(run);
      },
    });
  } catch (error) {
    if (error instanceof TachoError && error.code === 'RUN_ENDED' && hasEnded(readRunRecord(folder))) {
      return { ...outcome, status: readRunRecord(folder).status };
    }
    await failToStart(folder, context, error);
    throw error;
  }
}
