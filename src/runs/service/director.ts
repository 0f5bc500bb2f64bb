import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { every, guard, type Repeated } from '../../files/index.ts';
import {
  type Approval,
  hasEnded,
  type Reply,
  type ReplyAnswer,
  RUN_RECORD_FILE,
  type RunChange,
  type RunRecord,
  type RunRequest,
  type RunStatus,
  type RunView,
  statusPhrase,
  TachoError,
} from '../../protocol/index.ts';
import { runView } from '../../record/index.ts';
import { findRun, type RunFolder, readRunRecord, runFolderAt } from '../../recording/index.ts';
import { ApprovalStore } from '../approvals/approval-store.ts';
import { decideApproval, mirrorDecisions } from '../approvals/decide-approval.ts';
import { openJournal, type RunContext } from '../context.ts';
import { sendControl } from '../control/control-client.ts';
import { type ControlPlace, locateControl } from '../control/control-path.ts';
import { packagesFolder, prepareDataHome, strayFiles } from '../data-home.ts';
import type { ListQuery } from '../index/list-runs.ts';
import { isLost } from '../replay/is-lost.ts';
import { recoverLostRuns } from '../replay/recovery.ts';
import { isCancelRequested, runsToCancel } from '../request/cancel-request.ts';
import { isRepairForQueue, runsWithPendingAttempt } from '../request/pending-attempt.ts';
import { recordedSkills } from '../request/recorded-request.ts';
import { inWorkspace, settleRequest } from '../request/settle-request.ts';
import { removeStoredRequest, runsWithStoredRequest } from '../request/stored-request.ts';
import { takeSkills } from '../skills/take-skills.ts';
import { removeUnusedPackages } from '../skills/unused-packages.ts';
import { RecordFile, readRun } from '../state/record-file.ts';
import { withRunLock } from '../state/with-run-lock.ts';
import { ActiveRuns } from './active-runs.ts';
import { AutoReplies } from './auto-replies.ts';
import { cancelRun } from './cancel.ts';
import type { Director } from './director-api.ts';
import { Dispatcher } from './dispatcher.ts';
import { isContinuedElsewhere } from './own-program.ts';
import { removeRun } from './prune.ts';
import { queueRun } from './queue-attempt.ts';
import { acceptReply } from './reply.ts';
import { replyForAnswer, replyForDecision } from './reply-for-decision.ts';
import { StartKeys } from './start-keys.ts';
import { StartOnce } from './start-once.ts';

export interface DirectorOptions {
  context: RunContext;
  /** The command that starts tacho, used to start supervisors. */
  command: readonly string[];
  index: RunLister;
  slots?: number | undefined;
  queueLimit?: number | undefined;
  /** Something in the data folder could not be read or done; it is skipped or retried. */
  onProblem?: ((error: unknown, place: string) => void) | undefined;
}

/** Lists runs, including ended ones. */
export interface RunLister {
  put(record: RunRecord): void;
  remove(runId: string): void;
  /** Runs known to have ended. */
  endedIds(): Iterable<string>;
  countByStatus(): Partial<Record<RunStatus, number>>;
  list(query: ListQuery): { records: RunRecord[]; next_cursor: string | null; total: number };
  close(): void | Promise<void>;
}

const RECOVER_INTERVAL_MS = 3000;

/**
 * Accepts runs, starts them when a slot is free, and follows their progress. All its state is on disk. Closes the index
 * too, even when it fails to open.
 */
export async function openDirector(options: DirectorOptions): Promise<Director> {
  const { context, index } = options;
  const { home } = context;
  const slots = options.slots ?? Math.max(2, os.availableParallelism());
  const queueLimit = options.queueLimit ?? 10_000;
  const report = reportOnce(options.onProblem ?? (() => {}));
  const listeners = new Set<(change: RunChange) => void>();
  const approvals = new ApprovalStore(home, { onUnreadable: (error, file) => report(error, file) });
  const autoReplies = new AutoReplies((runId, reply) => acceptAndQueue(folderOf(runId), reply));
  const active = new ActiveRuns(home, { changed, removed, failed: report });
  const dispatcher = new Dispatcher({
    context,
    command: options.command,
    slots,
    active,
    report,
    isRepairForQueue: (runId) => isRepairForQueue(folderOf(runId)),
  });
  let recovering: Repeated | null = null;
  let closed = false;
  try {
    prepareDataHome(home);
    active.open(index.endedIds());
    for (const file of strayFiles(home)) report(new Error('neither a file nor a link; skipped'), file);
    await guard(recoverLost, (error) => report(error, home.live))();
    active.poll();
    await carryOutReplies();
    await guard(removeLeftovers, (error) => report(error, home.root))();
    recovering = every(RECOVER_INTERVAL_MS, recover, { onError: (error) => report(error, home.runs) });
    dispatcher.dispatch();
  } catch (error) {
    await close();
    throw error;
  }

  async function close(): Promise<void> {
    closed = true;
    dispatcher.close();
    recovering?.stop();
    autoReplies.close();
    active.close();
    await index.close();
  }

  async function recoverLost(): Promise<void> {
    const { failed } = await recoverLostRuns(context);
    for (const { runId, message } of failed) report(new Error(message), runId);
  }

  /** Removes what was left by runs that ended while no server ran. */
  function removeLeftovers(): void {
    for (const { run_id } of approvals.list({ status: 'pending' })) {
      if (!active.get(run_id)) approvals.expire(run_id, { isOver: true });
    }
    for (const runId of runsWithStoredRequest(home)) if (!active.get(runId)) removeStoredRequest(folderOf(runId));
  }

  function changed(record: RunRecord, before: RunRecord | null): void {
    const { run_id: runId } = record;
    index.put(record);
    dispatcher.consider(record);
    autoReplies.consider(record);
    if (record.live === null && !hasEnded(record) && isCancelRequested(folderOf(runId))) endCanceled(folderOf(runId));
    else sendDecision(record);
    if (hasEnded(record)) removeStoredRequest(folderOf(runId));
    if (!before || before.status !== record.status || before.attempt !== record.attempt)
      notify({ run: viewOf(record) });
    dispatcher.dispatch();
  }

  const removeUnused = guard(
    async () => void (await removeUnusedPackages(home)),
    (error) => report(error, packagesFolder(home)),
  );

  function removed(runId: string): void {
    index.remove(runId);
    dispatcher.forget(runId);
    notify({ removed: runId });
  }

  function notify(change: RunChange): void {
    for (const listener of [...listeners]) {
      try {
        listener(change);
      } catch {
        listeners.delete(listener); // A failing listener is not called again.
      }
    }
  }

  async function recover(): Promise<void> {
    if (closed) return;
    await carryOutReplies();
    await adoptAnswers();
    adoptRepairs();
    const isLostRun = (record: RunRecord) => isLost(record, folderOf(record.run_id));
    if (runsToCancel(home).length === 0 && !active.all().some(isLostRun)) return;
    await recoverLost();
    active.poll();
  }

  /** Carries out replies that the events contain and the record does not: the accepting process died in between. */
  async function carryOutReplies(): Promise<void> {
    const cutOff = runsWithPendingAttempt(home).filter((runId) => active.get(runId)?.status === 'waiting_user');
    for (const folder of cutOff.map(folderOf)) {
      // A failure is retried later.
      await withRunLock(folder, context, (journal) => RecordFile.open(folder, journal)).catch(() => {});
      active.refresh(folder);
    }
  }

  /** Our own agent may be answered in its own folder, without the server: the run then continues with that. */
  async function adoptAnswers(): Promise<void> {
    for (const record of active.all()) {
      if (record.status !== 'waiting_user' || record.live !== null || isContinuedElsewhere(record)) continue;
      const reply = await replyForAnswer(record, context).catch((error: unknown) => report(error, record.run_id));
      if (reply) void acceptAndQueue(folderOf(record.run_id), reply).catch(() => {});
      const isOfRun = ({ run_id }: Approval) => run_id === record.run_id;
      if ((await mirrorDecisions(approvals, context, isOfRun)) > 0) sendDecision(record);
    }
  }

  /** The death of a command that was to repair its run changes no record. */
  function adoptRepairs(): void {
    for (const record of active.all()) if (record.status === 'queued' && !record.queue) dispatcher.consider(record);
    dispatcher.dispatch();
  }

  async function acceptAndQueue(folder: RunFolder, reply: Reply): Promise<ReplyAnswer> {
    const answer = await acceptReply(folder, reply, context);
    active.refresh(folder);
    return answer;
  }

  /** The attempt ended with a question before its recorder saw the cancel. A failure is retried later. */
  function endCanceled(folder: RunFolder): void {
    cancelRun(folder, context)
      .then(() => active.refresh(folder))
      .catch((error: unknown) => report(error, folder.path));
  }

  /** Not awaited: the decision is stored, and a failed reply is sent when the record is read again. */
  function sendDecision(record: RunRecord): void {
    if (record.status === 'waiting_user' && isContinuedElsewhere(record)) return;
    const reply = replyForDecision(record, (runId) => approvals.list({}).filter(({ run_id }) => run_id === runId));
    if (reply) void acceptAndQueue(folderOf(record.run_id), reply).catch(() => {});
  }

  function countByStatus(): Partial<Record<RunStatus, number>> | null {
    try {
      return index.countByStatus();
    } catch {
      return null; // The index is being rebuilt.
    }
  }

  function viewOf(record: RunRecord): RunView {
    return runView(record, dispatcher.position(record.run_id));
  }

  function folderOf(runId: string): RunFolder {
    return runFolderAt(path.join(home.runs, runId));
  }

  async function live(selector: string): Promise<ControlPlace> {
    const record = readRunRecord(findRun(home.runs, selector));
    if (record.live === null) {
      throw new TachoError('RUN_NOT_LIVE', `run ${record.handle} ${statusPhrase(record)}; it has no live terminal`, {
        facts: { status: record.status },
      });
    }
    return locateControl(home, record.handle);
  }

  async function create(input: RunRequest, announce?: (runId: string) => void): Promise<RunView> {
    if (dispatcher.waitingCount >= queueLimit) {
      throw new TachoError('QUEUE_FULL', `${dispatcher.waitingCount} runs wait already`, {
        facts: { limit: queueLimit },
        fix: 'Retry later, cancel a run that waits, or raise service.queue_limit.',
      });
    }
    const inFolder = inWorkspace(input, context);
    const request = await takeSkills(settleRequest(input, inFolder), inFolder);
    const { folder, record } = await queueRun(request, context, announce);
    active.refresh(folder);
    return viewOf(active.get(folder.runId) ?? record);
  }

  async function get(selector: string): Promise<RunView> {
    const folder = findRun(home.runs, selector);
    return viewOf(await readRun(folder, openJournal(folder, context.config)));
  }

  const startOnce = new StartOnce(new StartKeys(path.join(home.root, 'start-keys.jsonl')), {
    create,
    exists: (runId) => fs.existsSync(path.join(folderOf(runId).path, RUN_RECORD_FILE)),
    get,
  });

  return {
    create: (input) => create(input),
    createOnce: (key, input) => startOnce.start(key, input),
    get,
    async list(query) {
      const { records, ...rest } = index.list(query);
      // Another process may have just removed some.
      const there = records.filter(({ run_id }) => fs.existsSync(folderOf(run_id).path));
      return { runs: there.map((record) => viewOf(active.get(record.run_id) ?? record)), ...rest };
    },
    async reply(selector, reply) {
      const folder = findRun(home.runs, selector);
      return acceptAndQueue(folder, reply);
    },
    async cancel(selector) {
      const folder = findRun(home.runs, selector);
      dispatcher.removeFromQueue(folder.runId);
      const record = await cancelRun(folder, context);
      active.refresh(folder);
      return viewOf(record);
    },
    async input(selector, bytes, { piped = false, end = false } = {}) {
      const place = await live(selector);
      const op = piped || end ? 'feed' : 'write';
      if (bytes.length > 0) await sendControl(place, { op, data: bytes.toString('base64') });
      if (end) await sendControl(place, { op: 'end_feed' });
    },
    async resize(selector, cols, rows) {
      await sendControl(await live(selector), { op: 'resize', cols, rows });
    },
    async remove(selector) {
      const folder = findRun(home.runs, selector);
      const record = await readRun(folder, openJournal(folder, context.config));
      if (!hasEnded(record)) {
        throw new TachoError('RUN_ACTIVE', `run ${record.handle} ${statusPhrase(record)}`, {
          facts: { status: record.status },
          fix: `End it first: tacho cancel ${record.handle}`,
        });
      }
      await removeRun(folder.runId, context);
      active.remove(folder.runId);
      // Not awaited: it may have to read the records of all runs.
      if (recordedSkills(record).packages?.length) void removeUnused();
    },
    async approvals(query) {
      await mirrorDecisions(approvals, context);
      return approvals.list(query);
    },
    async decide(approvalId, decision) {
      const decided = await decideApproval(approvals, approvalId, decision, context);
      const record = active.get(decided.run_id);
      if (record) sendDecision(record);
      return decided;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stats() {
      return { slots, queued: dispatcher.waitingCount, running: dispatcher.runningCount, byStatus: countByStatus() };
    },
    close,
  };
}

/** Reports each problem of a place once, until it changes. */
function reportOnce(onProblem: (error: unknown, place: string) => void): (error: unknown, place: string) => void {
  const reported = new Map<string, string>();
  return (error, place) => {
    const text = error instanceof Error ? error.message : String(error);
    if (reported.get(place) === text) return;
    reported.set(place, text);
    onProblem(error, place);
  };
}
