import { engineOf } from '../../engines/index.ts';
import type { Claim, Journal } from '../../journal/index.ts';
import { RUN_FORMAT, type RunRecord, type SettledRequest } from '../../protocol/index.ts';
import { createRunFolder, handleOf, nextAttempt, type RunFolder, writeRunRecord } from '../../recording/index.ts';
import { AttemptLog } from '../attempt/attempt-log.ts';
import { ConversationFile } from '../attempt/conversation-file.ts';
import { Correlator } from '../attempt/correlator.ts';
import { refuseLowDisk } from '../attempt/disk-reserve.ts';
import { announcingDrafts, statusDraft } from '../attempt/drafts.ts';
import { requestFields } from '../attempt/prepare-run.ts';
import type { RunContext } from '../context.ts';
import { prepareDataHome } from '../data-home.ts';
import { environmentRequest } from '../launch/environment-request.ts';
import { secretHider } from '../launch/isolated-environment.ts';
import { planLaunch, saidTo } from '../launch/plan-launch.ts';
import { type AttemptOrder, FIRST_ATTEMPT } from '../request/attempt-order.ts';
import { checkRequest } from '../request/check-request.ts';
import { engineNameOf } from '../request/settle-request.ts';
import { shownRequest } from '../request/shown-request.ts';
import { storeRequest } from '../request/stored-request.ts';
import { requestedOf } from '../state/requested.ts';
import { withRunLock } from '../state/with-run-lock.ts';
import { queuedRecord } from './announced-reply.ts';
import { writePendingAttempt } from './pending-attempt.ts';

/** A new run that waits to be started. Refuses what cannot be started before anything is written. */
export async function queueRun(
  request: SettledRequest,
  context: RunContext,
): Promise<{ folder: RunFolder; record: RunRecord }> {
  const plan = planLaunch(request, FIRST_ATTEMPT, context);
  await checkRequest(request, plan, context);
  prepareDataHome(context.home);
  refuseLowDisk(context.home.root, Math.max(request.limits.disk_floor_bytes, context.config.limits.disk_floor_bytes));
  const engine = engineNameOf(request);
  const folder = createRunFolder(context.home.runs, engine);
  const cwd = request.cwd ?? folder.path;
  const hideSecrets = secretHider(environmentRequest(request, plan.environment(cwd)));
  const now = new Date().toISOString();
  const record: RunRecord = {
    format: RUN_FORMAT,
    run_id: folder.runId,
    handle: handleOf(folder.runId),
    engine,
    status: 'queued',
    attempt: 0,
    command: plan.argv(cwd).map(hideSecrets),
    ...requestFields(shownRequest(request, hideSecrets), null),
    queue: { priority: request.priority, at: now },
    cwd,
    workspace_root: cwd,
    created_at: now,
    updated_at: now,
    live: null,
    last: null,
  };
  const queued = await withRunLock(folder, context, (journal, claim) =>
    announce({ folder, journal, claim, hideSecrets, at: now }, record, { request, order: FIRST_ATTEMPT }),
  );
  return { folder, record: queued };
}

/** One more attempt of a run, begun by a reply. `accept` is asked under the run's lock, and refuses by throwing. */
export function queueReply(
  folder: RunFolder,
  context: RunContext,
  accept: (journal: Journal, at: string) => Promise<{ record: RunRecord; next: NextAttempt }>,
): Promise<RunRecord> {
  return withRunLock(folder, context, async (journal, claim) => {
    const at = new Date().toISOString();
    const { record, next } = await accept(journal, at);
    const plan = planLaunch(next.request, next.order, context);
    const hideSecrets = secretHider(environmentRequest(next.request, plan.environment('')));
    const command = plan.argv(record.cwd).map(hideSecrets);
    const queue = { priority: next.request.priority, at };
    return announce({ folder, journal, claim, hideSecrets, at }, { ...record, command, queue }, next);
  });
}

export interface NextAttempt {
  request: SettledRequest;
  order: AttemptOrder;
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
  { request, order }: NextAttempt,
): Promise<RunRecord> {
  storeRequest(folder, request);
  writePendingAttempt(folder, { ...order, announced: true, run: folder.path });
  const said = saidTo(request, order);
  const log = new AttemptLog({
    journal,
    claim,
    auditFolder: folder.audit,
    correlator: await Correlator.resume(journal, claim, record.cwd),
    profile: engineOf(record.engine, { parsed: request.parse }),
    conversation: said !== null ? await ConversationFile.open(folder, journal) : null,
  });
  const drafts = { attempt: nextAttempt(folder), engine: record.engine };
  const opening = said === null ? null : { ...order, text: hideSecrets(said) };
  await log.append([
    ...announcingDrafts(drafts, at, opening, requestedOf(record, order)),
    ...(said === null ? [statusDraft(drafts, at, 'queued', { reason_code: 'requested' })] : []),
  ]);
  const queued = queuedRecord(record, { ts: at, seq: log.chain.seq });
  writeRunRecord(folder, queued);
  return queued;
}
