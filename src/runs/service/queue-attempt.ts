import fs from 'node:fs';
import path from 'node:path';
import { readingOf } from '../../engines/index.ts';
import type { Claim, Journal } from '../../journal/index.ts';
import {
  type RaspData,
  RUN_FORMAT,
  RUN_RECORD_FILE,
  type RunRecord,
  type SettledRequest,
  TachoError,
} from '../../protocol/index.ts';
import { createRunFolder, handleOf, nextAttempt, type RunFolder } from '../../recording/index.ts';
import { AttemptLog } from '../attempt/attempt-log.ts';
import { ConversationFile } from '../attempt/conversation-file.ts';
import { Correlator } from '../attempt/correlation/correlator.ts';
import { refuseLowDisk } from '../attempt/disk-reserve.ts';
import { announcingDrafts, shownOrder, statusDraft } from '../attempt/drafts.ts';
import { announceLive, withdrawLive } from '../attempt/live-runs.ts';
import { requestFields } from '../attempt/prepare-run.ts';
import type { RunContext } from '../context.ts';
import { prepareDataHome } from '../data-home.ts';
import { type LaunchPlan, planLaunch } from '../launch/plan-launch.ts';
import { hiderFor } from '../launch/program-environment.ts';
import { closeAsCanceled } from '../replay/cancel-waiting.ts';
import { type AttemptOrder, FIRST_ATTEMPT } from '../request/attempt-order.ts';
import { isCancelRequested } from '../request/cancel-request.ts';
import { checkRequest } from '../request/check-request.ts';
import { writePendingAttempt } from '../request/pending-attempt.ts';
import { engineNameOf } from '../request/settle-request.ts';
import { shownRequest } from '../request/shown-request.ts';
import { forgetRun, storeRequest } from '../request/stored-request.ts';
import { RecordFile } from '../state/record-file.ts';
import { requestedOf } from '../state/requested.ts';
import { withRunLock } from '../state/with-run-lock.ts';

/**
 * Queues a new run. Rejects a run that cannot be started before anything is written. Calls `announce` with its id
 * before its folder exists.
 */
export async function queueRun(
  request: SettledRequest,
  context: RunContext,
  announce: (runId: string) => void = () => {},
): Promise<{ folder: RunFolder; record: RunRecord }> {
  refuseInherited(request);
  const plan = planLaunch(request, FIRST_ATTEMPT, context);
  await checkRequest(request, plan, context);
  prepareDataHome(context.home);
  refuseLowDisk(context.home.root, Math.max(request.limits.disk_floor_bytes, context.config.limits.disk_floor_bytes));
  const engine = engineNameOf(request);
  const { home } = context;
  const folder = createRunFolder(home.runs, engine, {
    announce: (made) => {
      announce(made.runId);
      announceLive(home, made);
    },
  });
  try {
    return { folder, record: await queueIn(folder, { request, plan, engine }, context) };
  } catch (error) {
    // Without a record, no other process has seen it.
    if (!fs.existsSync(path.join(folder.path, RUN_RECORD_FILE))) {
      forgetRun(folder);
      withdrawLive(home, folder);
    }
    throw error;
  }
}

/** Another process starts it later, with a different environment. */
function refuseInherited({ environment }: SettledRequest): void {
  if (environment !== 'inherited') return;
  throw new TachoError('INVALID_REQUEST', 'environment: a queued run cannot inherit the environment of its caller', {
    facts: { field: 'environment' },
    fix: 'Leave environment out, and name what the program needs in env or pass_env.',
  });
}

/**
 * Writes the first events of a new run. It stays announced until they are complete, so that recovery finds the
 * leftovers of a crash.
 */
async function queueIn(
  folder: RunFolder,
  { request, plan, engine }: { request: SettledRequest; plan: LaunchPlan; engine: string },
  context: RunContext,
): Promise<RunRecord> {
  const cwd = request.cwd ?? folder.work;
  const hideSecrets = hiderFor(request, { callerEnv: context.env, engineSets: plan.environment(cwd) });
  const now = new Date().toISOString();
  const reading = readingOf(plan.profile);
  const record: RunRecord = {
    format: RUN_FORMAT,
    run_id: folder.runId,
    handle: handleOf(folder.runId),
    engine,
    ...(reading ? { reading } : {}),
    status: 'queued',
    attempt: 0,
    command: plan.argv(cwd, handleOf(folder.runId)).map(hideSecrets),
    ...requestFields(shownRequest(request, hideSecrets), null),
    queue: { priority: request.priority, at: now },
    cwd,
    workspace_root: cwd,
    created_at: now,
    updated_at: now,
    live: null,
    last: null,
  };
  const file = RecordFile.begin(folder, record);
  await withRunLock(folder, context, async (journal, claim) => {
    announceLive(context.home, folder);
    await announce(
      { folder, journal, claim, file, plan, hideSecrets, at: now },
      { request, order: FIRST_ATTEMPT, requested: requestedOf(record, request) },
    );
    withdrawLive(context.home, folder);
  });
  return file.record;
}

export interface NextAttempt {
  request: SettledRequest;
  order: AttemptOrder;
  /** Identifies the reply that starts it. */
  idempotency?: { key: string; digest: string };
}

/**
 * Queues another attempt of a run, started by a reply. Calls `accept` under the run's lock; it returns null when there
 * is nothing to queue, and rejects by throwing.
 */
export function queueReply(
  folder: RunFolder,
  context: RunContext,
  accept: (record: RunRecord, at: string) => NextAttempt | null | Promise<NextAttempt | null>,
): Promise<void> {
  return withRunLock(folder, context, async (journal, claim) => {
    const at = new Date().toISOString();
    const file = await RecordFile.open(folder, journal);
    // A cancel requested before the reply.
    if (isCancelRequested(folder)) await closeAsCanceled({ folder, file, context }, journal, claim);
    const { record } = file;
    const next = await accept(record, at);
    if (next === null) return;
    const plan = planLaunch(next.request, next.order, context);
    const hideSecrets = hiderFor(next.request, { callerEnv: context.env, engineSets: plan.environment('') });
    const command = plan.argv(record.cwd, record.handle).map(hideSecrets);
    const requested = requestedOf({ ...record, command }, { ...next.order, priority: next.request.priority });
    await announce({ folder, journal, claim, file, plan, hideSecrets, at }, { ...next, requested });
  });
}

interface Announcement {
  folder: RunFolder;
  journal: Journal;
  claim: Claim;
  file: RecordFile;
  plan: LaunchPlan;
  hideSecrets(text: string): string;
  at: string;
}

/** Stores the attempt, then appends the events that make it count. */
async function announce(
  { folder, journal, claim, file, plan, hideSecrets, at }: Announcement,
  { request, order, idempotency, requested }: NextAttempt & { requested: RaspData<'lifecycle.run.requested'> },
): Promise<void> {
  const { engine } = file.record;
  storeRequest(folder, request);
  writePendingAttempt(folder, { ...order, announced: true, run: folder.path });
  const said = plan.message(file.record.handle);
  const log = new AttemptLog({
    journal,
    claim,
    auditFolder: folder.audit,
    record: file,
    correlator: await Correlator.resume(journal, claim, file.record.cwd),
    profile: plan.profile,
    conversation: said !== null ? await ConversationFile.open(folder, journal, nextAttempt(folder)) : null,
  });
  const drafts = { attempt: nextAttempt(folder), engine };
  const opening =
    said === null ? null : { ...shownOrder(order, said, hideSecrets), ...(idempotency ? { idempotency } : {}) };
  await log.append([
    ...announcingDrafts(drafts, at, opening, requested),
    ...(said === null ? [statusDraft(drafts, at, 'queued', { reason_code: 'requested' })] : []),
  ]);
}
