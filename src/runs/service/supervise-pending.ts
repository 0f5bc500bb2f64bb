import { TachoError } from '../../protocol/index.ts';
import { findRun } from '../../recording/index.ts';
import type { TerminalControl } from '../attempt/programs/terminal-program.ts';
import { type RunOutcome, supervise } from '../attempt/supervise.ts';
import type { RunContext } from '../context.ts';
import { readPendingAttempt, removePendingAttempt } from '../request/pending-attempt.ts';
import { readStoredRequest } from '../request/stored-request.ts';
import { failToStart } from './fail-to-start.ts';

/**
 * The life of a supervisor process: takes the attempt that is to come and records it to its end. It belongs to nobody:
 * whoever started it may die, and it goes on. A signal ends the attempt, and its record is completed.
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
    const request = readStoredRequest(folder);
    if (!request) throw new TachoError('RUN_RECORD_CORRUPT', `the request of run ${folder.runId} is missing`);
    return await supervise({ request, order }, context, {
      // From here on the record says that it runs; before, whoever looks may start it again.
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
