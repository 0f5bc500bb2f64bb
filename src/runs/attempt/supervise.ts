import { randomUUID } from 'node:crypto';
import type { SettledRequest } from '../../protocol/index.ts';
import { openJournal, type RunContext } from '../context.ts';
import { controlPath } from '../control/control-path.ts';
import { type ControlServer, openControl } from '../control/control-server.ts';
import { prepareDataHome } from '../data-home.ts';
import { environmentRequest } from '../launch/environment-request.ts';
import { secretHider } from '../launch/isolated-environment.ts';
import { planLaunch } from '../launch/plan-launch.ts';
import { completeLostAttempt } from '../replay/recovery.ts';
import type { AttemptOrder } from '../request/attempt-order.ts';
import { checkRequest } from '../request/check-request.ts';
import { engineNameOf } from '../request/settle-request.ts';
import { shownRequest } from '../request/shown-request.ts';
import { storeRequest } from '../request/stored-request.ts';
import { refuseLowDisk } from './disk-reserve.ts';
import { harmless, type RunWatcher } from './harmless-watcher.ts';
import { prepareRun } from './prepare-run.ts';
import { type RunOutcome, recordAttempt } from './record-attempt.ts';

/** One attempt from request to seal. Throws only for what is wrong before anything was started. */
export async function supervise(
  { request, order }: { request: SettledRequest; order: AttemptOrder },
  context: RunContext,
  given: RunWatcher,
): Promise<RunOutcome> {
  const watcher = harmless(given);
  const plan = planLaunch(request, order, context);
  await checkRequest(request, plan, context);
  prepareDataHome(context.home);
  refuseLowDisk(context.home.root, Math.max(request.limits.disk_floor_bytes, context.config.limits.disk_floor_bytes));
  if (order.run !== null) await completeLostAttempt(order.run, context);

  const marker = randomUUID();
  const hideSecrets = secretHider(environmentRequest(request, plan.environment('')));
  const run = await prepareRun({
    engine: engineNameOf(request),
    cwd: request.cwd ?? null,
    run: order.run,
    announced: order.announced,
    shown: shownRequest(request, hideSecrets),
    session: order.session,
    shownCommand: (workspace) => plan.argv(workspace).map(hideSecrets),
    capture: { mode: request.capture, reason: request.capture_reason, level: request.recording.level },
    home: context.home,
    openJournal: (folder) => openJournal(folder, context.config),
    marker,
  });
  storeRequest(run.folder, request);
  watcher.prepared?.({ runId: run.folder.runId, runDir: run.folder.path, attempt: run.attempt });
  const control = await openControl(controlPath(context.home, run.record.handle));
  try {
    return await recordAttempt({
      request,
      order,
      plan,
      context,
      watcher: withControl(watcher, control),
      run,
      marker,
      hideSecrets,
    });
  } finally {
    control?.close();
    await run.journal.release(run.folder.runId, run.claim.epoch);
  }
}

function withControl(watcher: RunWatcher, control: ControlServer | null): RunWatcher {
  return {
    ...watcher,
    started(terminal) {
      control?.attach(terminal);
      watcher.started?.(terminal);
    },
  };
}
