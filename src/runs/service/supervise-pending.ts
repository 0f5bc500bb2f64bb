import type { TachoError } from '../../protocol/index.ts';
import { findRun, handleOf } from '../../recording/index.ts';
import type { RunContext } from '../context.ts';
import type { RunOutcome } from '../record-attempt.ts';
import { supervise } from '../supervise.ts';
import { controlPath } from './control-path.ts';
import { ControlServer } from './control-server.ts';
import { failToStart } from './fail-to-start.ts';
import { readPendingAttempt, removePendingAttempt } from './pending-attempt.ts';

/**
 * The life of a supervisor process: takes the attempt that is to come, records it to its end, listens meanwhile. It
 * belongs to nobody: whoever started it may die, and it goes on.
 */
export async function supervisePending(selector: string, context: RunContext): Promise<RunOutcome | null> {
  const folder = findRun(context.home.runs, selector);
  const request = readPendingAttempt(folder);
  if (!request) return null;
  const control = await ControlServer.listen(controlPath(context.home, handleOf(folder.runId)));
  const cancel = () => control.cancel();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, cancel);
  try {
    return await supervise(request, context, {
      // From here on the record says that it runs; before, whoever looks may start it again.
      prepared: () => removePendingAttempt(folder),
      started: (terminal) => control.attach(terminal),
    });
  } catch (error) {
    await failToStart(folder, request, context, error as TachoError);
    return null;
  } finally {
    control.close();
  }
}
