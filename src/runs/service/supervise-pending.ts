import { TachoError } from '../../protocol/index.ts';
import { findRun } from '../../recording/index.ts';
import type { TerminalControl } from '../attempt/programs/terminal-program.ts';
import { type RunOutcome, supervise } from '../attempt/supervise.ts';
import type { RunContext } from '../context.ts';
import { readPendingAttempt, removePendingAttempt } from '../request/pending-attempt.ts';
import { readStoredRequest } from '../request/stored-request.ts';
import { whenUnlocked } from '../state/with-run-lock.ts';
import { failToStart } from './fail-to-start.ts';

/**
 * The supervisor process: takes the pending attempt and records it to its end. It is independent of the process that
 * started it. A signal ends the attempt, and its record is completed.
 */
export async function supervisePending(selector: string, context: RunContext): Promise<RunOutcome | null> {
  const folder = findRun(context.home.runs, selector);
  let attempt: Pick<TerminalControl, 'cancel'> | null = null;
  let canceled = false;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      canceled = true;
      attempt?.cancel();
    });
  }
  try {
    const order = readPendingAttempt(folder);
    if (!order) return null;
    // The attempt before may have been sealed a moment ago.
    if (order.repair) await whenUnlocked(folder);
    const request = readStoredRequest(folder);
    if (!request) throw new TachoError('RUN_RECORD_CORRUPT', `the request of run ${folder.runId} is missing`);
    return await supervise({ request, order }, context, {
      // From here on the record says `running`; before that, another process may start it again.
      prepared(run) {
        removePendingAttempt(folder);
        attempt = run;
        if (canceled) run.cancel();
      },
      started(control) {
        attempt = control;
      },
    });
  } catch (error) {
    await failToStart(folder, context, error);
    return null;
  }
}
