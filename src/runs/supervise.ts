import { randomUUID } from 'node:crypto';
import { checkRequest } from './check-request.ts';
import { openJournal, type RunContext } from './context.ts';
import { prepareDataHome } from './data-home.ts';
import { refuseLowDisk } from './disk-reserve.ts';
import { environmentRequest } from './environment-request.ts';
import { harmless } from './harmless-watcher.ts';
import { secretHider } from './isolated-environment.ts';
import { planLaunch } from './plan-launch.ts';
import { prepareRun } from './prepare-run.ts';
import { type RunOutcome, recordAttempt } from './record-attempt.ts';
import { completeLostAttempt } from './recovery.ts';
import type { RunRequest, RunWatcher } from './request.ts';
import { controlPath } from './service/control-path.ts';
import { type ControlServer, openControl } from './service/control-server.ts';

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
