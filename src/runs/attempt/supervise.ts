import { randomUUID } from 'node:crypto';
import { openJournal, type RunContext } from '../context.ts';
import { controlPath } from '../control/control-path.ts';
import { type ControlServer, openControl } from '../control/control-server.ts';
import { prepareDataHome } from '../data-home.ts';
import { environmentRequest } from '../launch/environment-request.ts';
import { secretHider } from '../launch/isolated-environment.ts';
import { planLaunch } from '../launch/plan-launch.ts';
import { completeLostAttempt } from '../replay/recovery.ts';
import { checkRequest } from '../request/check-request.ts';
import type { RunRequest, RunWatcher } from '../request/run-request.ts';
import { refuseLowDisk } from './disk-reserve.ts';
import { harmless } from './harmless-watcher.ts';
import { prepareRun } from './prepare-run.ts';
import { type RunOutcome, recordAttempt } from './record-attempt.ts';

/** One attempt from request to seal. Throws only for what is wrong before anything was started. */
export async function supervise(request: RunRequest, context: RunContext, given: RunWatcher): Promise<RunOutcome> {
  const watcher = harmless(given);
  const plan = planLaunch(request, context);
  await checkRequest(request, plan, context);
  prepareDataHome(context.home);
  refuseLowDisk(context.home.root, context.config.limits.disk_floor_bytes);
  if (request.runSelector !== null) await completeLostAttempt(request.runSelector, context);

  const marker = randomUUID();
  const hideSecrets = secretHider(environmentRequest(request, context, plan.environment('')));
  const run = await prepareRun({
    request,
    shownCommand: (workspace) => plan.argv(workspace).map(hideSecrets),
    shownPrompt: hideSecrets(request.agent?.prompt ?? ''),
    capture: { mode: request.capture, reason: request.captureReason, level: context.config.recording.level },
    home: context.home,
    openJournal: (folder) => openJournal(folder, context.config),
    marker,
  });
  watcher.prepared?.({ runId: run.folder.runId, runDir: run.folder.path, attempt: run.attempt });
  const control = await openControl(controlPath(context.home, run.record.handle));
  try {
    return await recordAttempt({
      request,
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
