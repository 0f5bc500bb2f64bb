import type { Claim, Journal } from '../../journal/index.ts';
import type { AutoReply, RunLimits, RunRecord } from '../../protocol/index.ts';
import { RUN_FORMAT } from '../../protocol/index.ts';
import { createRunFolder, handleOf, nextAttempt, type RunFolder, writeRunRecord } from '../../recording/index.ts';
import { AttemptLog } from '../attempt/attempt-log.ts';
import { ConversationFile } from '../attempt/conversation-file.ts';
import { refuseLowDisk } from '../attempt/disk-reserve.ts';
import { announcingDrafts, statusDraft } from '../attempt/drafts.ts';
import { launchFields } from '../attempt/prepare-run.ts';
import type { RunContext } from '../context.ts';
import { prepareDataHome } from '../data-home.ts';
import { environmentRequest } from '../launch/environment-request.ts';
import { secretHider } from '../launch/isolated-environment.ts';
import { planLaunch } from '../launch/plan-launch.ts';
import { planProfile } from '../launch/plan-profile.ts';
import { checkRequest } from '../request/check-request.ts';
import { shownRequest } from '../request/first-request.ts';
import type { RunRequest } from '../request/run-request.ts';
import { withRunLock } from '../state/with-run-lock.ts';
import { queuedRecord } from './announced-reply.ts';
import { writePendingAttempt } from './pending-attempt.ts';
import { writeRunSettings } from './run-settings.ts';

export interface QueueOptions {
  priority: number;
  limits: RunLimits;
  autoReply: AutoReply | null;
}

/** A new run that waits to be started. Refuses what cannot be started before anything is written. */
export async function queueRun(
  request: RunRequest,
  context: RunContext,
  options: QueueOptions,
): Promise<{ folder: RunFolder; record: RunRecord }> {
  const plan = planLaunch(request, context);
  await checkRequest(request, plan, context);
  prepareDataHome(context.home);
  refuseLowDisk(context.home.root, context.config.limits.disk_floor_bytes);
  const folder = createRunFolder(context.home.runs, request.engine);
  const cwd = request.cwd ?? folder.path;
  const hideSecrets = secretHider(environmentRequest(request, context, plan.environment(cwd)));
  const said = request.agent && hideSecrets(request.agent.prompt);
  const now = new Date().toISOString();
  const record: RunRecord = {
    format: RUN_FORMAT,
    run_id: folder.runId,
    handle: handleOf(folder.runId),
    engine: request.engine,
    status: 'queued',
    attempt: 0,
    command: plan.argv(cwd).map(hideSecrets),
    mode: request.agent?.mode ?? 'auto',
    ...(said === null ? {} : { request: shownRequest(said), launch: launchFields(request.agent!, said) }),
    queue: { priority: options.priority, at: now },
    limits: options.limits,
    ...(options.autoReply ? { auto_reply: options.autoReply } : {}),
    cwd,
    workspace_root: cwd,
    created_at: now,
    updated_at: now,
    live: null,
    last: null,
  };
  writeRunSettings(folder, request);
  const queued = await withRunLock(folder, context, (journal, claim) =>
    announce({ folder, journal, claim, hideSecrets, at: now }, record, request),
  );
  return { folder, record: queued };
}

/** One more attempt of a run, begun by a reply. `accept` is asked under the run's lock, and refuses by throwing. */
export function queueReply(
  folder: RunFolder,
  context: RunContext,
  accept: (journal: Journal, at: string) => Promise<{ record: RunRecord; request: RunRequest }>,
): Promise<RunRecord> {
  return withRunLock(folder, context, async (journal, claim) => {
    const at = new Date().toISOString();
    const { record, request } = await accept(journal, at);
    const plan = planLaunch(request, context);
    const hideSecrets = secretHider(environmentRequest(request, context, plan.environment('')));
    return announce({ folder, journal, claim, hideSecrets, at }, record, request);
  });
}

interface Announcement {
  folder: RunFolder;
  journal: Journal;
  claim: Claim;
  hideSecrets(text: string): string;
  at: string;
}

/** What is to come, then the events that say so, then the record: a crash in between can be told and completed. */
async function announce(
  { folder, journal, claim, hideSecrets, at }: Announcement,
  record: RunRecord,
  request: RunRequest,
): Promise<RunRecord> {
  writePendingAttempt(folder, { ...request, announced: true, runSelector: folder.path });
  const log = new AttemptLog({
    journal,
    claim,
    auditFolder: folder.audit,
    profile: planProfile(request),
    conversation: request.agent ? await ConversationFile.open(folder, journal) : null,
  });
  const drafts = { attempt: nextAttempt(folder), engine: request.engine };
  await log.append(
    request.agent
      ? announcingDrafts(drafts, at, request.agent, hideSecrets)
      : [statusDraft(drafts, at, 'queued', { reason_code: 'requested' })],
  );
  const queued = queuedRecord(record, { ts: at, seq: log.chain.seq });
  writeRunRecord(folder, queued);
  return queued;
}
