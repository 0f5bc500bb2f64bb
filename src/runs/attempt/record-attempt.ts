import fs from 'node:fs';
import path from 'node:path';
import { identityOf } from '../../files/index.ts';
import { type SettledRequest, TachoError, type Usage } from '../../protocol/index.ts';
import { startClock, timestamp, writeRunRecord } from '../../recording/index.ts';
import { ApprovalStore } from '../approvals/approval-store.ts';
import { ApprovalWatch } from '../approvals/approval-watch.ts';
import type { EndEvidence } from '../completion/end-evidence.ts';
import type { RunContext } from '../context.ts';
import { copyCredentials, prepareEngineHome } from '../launch/engine-home.ts';
import { isTested } from '../launch/engine-program.ts';
import { environmentRequest } from '../launch/environment-request.ts';
import { injectedDigests, injectFiles } from '../launch/injected-files.ts';
import { buildIsolatedEnv, managedFolders } from '../launch/isolated-environment.ts';
import { type LaunchPlan, saidTo } from '../launch/plan-launch.ts';
import type { AttemptOrder } from '../request/attempt-order.ts';
import { requestedOf } from '../state/requested.ts';
import { type AttemptFacts, blankFacts } from './attempt-facts.ts';
import { AttemptLog } from './attempt-log.ts';
import { ConversationFile } from './conversation-file.ts';
import { DiskReserve } from './disk-reserve.ts';
import { openingDrafts, warningDraft } from './drafts.ts';
import { type FinishedAttempt, finishAttempt } from './finish-attempt.ts';
import type { RunWatcher } from './harmless-watcher.ts';
import type { PreparedRun } from './prepare-run.ts';
import { runPtyWithTrace, type TerminalControl } from './run-pty-with-trace.ts';
import { terminalFacts } from './terminal-end.ts';
import { WorkspaceWatch } from './workspace-watch.ts';

export interface RunOutcome extends FinishedAttempt {
  engine: string;
  runId: string;
  runDir: string;
  attempt: number;
  exit_code: number | null;
  signal: string | null;
  error: TachoError | null;
  durationMs: number;
  /** What the engine told of itself. */
  sessionId: string | null;
  model: string | null;
  usage: Usage | null;
  /** What the assistant said last: the question, when the run waits for an answer. */
  lastMessage: string | null;
}

interface Recording {
  request: SettledRequest;
  order: AttemptOrder;
  plan: LaunchPlan;
  context: RunContext;
  watcher: RunWatcher;
  run: PreparedRun;
  marker: string;
  hideSecrets(text: string): string;
}

/** The steps of an attempt, in the order that makes it repeatable; a step that fails is named in meta. */
export async function recordAttempt(recording: Recording): Promise<RunOutcome> {
  const { request, order, plan, context, watcher, run, marker, hideSecrets } = recording;
  const { folder, attempt } = run;
  const { home } = context;
  const { engine } = run.record;
  const { limits } = request;
  const said = saidTo(request, order);
  const clock = startClock();
  const begun = clock.now();
  const { profile } = plan;
  const approvals = new ApprovalWatch(run, new ApprovalStore(home));
  const log: AttemptLog = new AttemptLog({
    journal: run.journal,
    claim: run.claim,
    auditFolder: folder.audit,
    profile,
    conversation:
      said !== null || request.recording.conversation ? await ConversationFile.open(folder, run.journal) : null,
    onKept: (events) => approvals.observe(events, log),
    onConversation: (messages) => watcher.conversed?.(messages),
  });
  const workspace = new WorkspaceWatch(run, context, request.recording);
  const reserve = new DiskReserve(path.join(folder.audit, `reserve.${attempt}.tmp`));
  const draftContext = { attempt, engine };
  const facts: AttemptFacts = {
    ...blankFacts({
      profile,
      mode: request.mode,
      markerRequired: request.require_marker,
      command: run.record.command,
      cwd: run.record.cwd,
      capture: run.record.live!.capture,
      endedAt: begun,
    }),
    engineVersion: plan.program?.version ?? null,
    hideSecrets,
  };
  const managed = managedFolders(home.managed, `${run.record.handle}.${attempt}`);

  await step('journal', async () => {
    const ts = timestamp(begun);
    if (run.claim.repaired)
      await log.append([warningDraft(draftContext, ts, 'JOURNAL_REPAIRED', { ...run.claim.repaired })]);
    const opening = said === null ? null : { ...order, text: hideSecrets(said) };
    const requested = requestedOf(run.record, order);
    await log.append(openingDrafts(draftContext, ts, opening, { ...order, requested }));
    if (!isTested(profile, facts.engineVersion)) {
      const versions = { version: facts.engineVersion, tested: profile.testedVersions };
      await log.append([warningDraft(draftContext, ts, 'ENGINE_VERSION_UNTESTED', versions)]);
    }
  });
  await step('reserve', () => reserve.take());
  await step('fs-before', () => workspace.before());
  // After the snapshot: what is ours is told apart from what the program makes of it.
  await step('files', () => {
    const { files = [] } = request;
    if (files.length === 0 || attempt > 1) return;
    run.record.live = { ...run.record.live!, injected: injectedDigests(files) };
    writeRunRecord(folder, run.record);
    facts.injected = files.map(({ path: name }) => name);
    injectFiles(run.record.cwd, files);
  });
  const environment = await step('environment', () =>
    buildIsolatedEnv({
      ...environmentRequest(request, plan.environment(run.record.cwd), { TACHO_RUN_ID: folder.runId }),
      managed,
    }),
  );
  facts.envNames = environment?.names ?? [];
  await step('engine', async () => {
    await prepareEngineHome(profile, plan.values(run.record.cwd));
    if (!request.auth_from_home) return;
    const copied = copyCredentials(profile, managed.home);
    await log.append([warningDraft(draftContext, timestamp(clock.now()), 'CREDENTIALS_COPIED', { files: copied })]);
  });
  await step('terminal', async () => {
    const result = await runPtyWithTrace({
      folder,
      attempt,
      engine,
      argv: plan.argv(run.record.cwd),
      cwd: run.record.cwd,
      env: environment!.env,
      secrets: environment!.secrets,
      hideSecrets,
      marker,
      capture: request.capture,
      keepTrace: request.keep_trace,
      level: request.recording.level,
      header: {
        startedAt: new Date(Math.floor(clock.now() / 1000)),
        term: environment!.env.TERM!,
        cols: request.cols,
        rows: request.rows,
        command: run.record.command.join(' '),
      },
      echo: order.interactive,
      exclusive: order.exclusive,
      clock,
      log,
      profile,
      limits: {
        timeoutMs: limits.timeout_ms,
        noProgressMs: limits.no_progress_timeout_ms,
        killGraceMs: limits.kill_grace_ms,
        lingerMs: limits.linger_ms,
        checkpointBytes: request.recording.checkpoint_bytes,
        checkpointMs: request.recording.checkpoint_ms,
        outputBytes: limits.output_bytes ?? null,
        budget: limits,
      },
      onStarted: (control) => started(control),
      onRecorded: () => watcher.recorded?.(),
    });
    const { exit_code, signal, endedByUs, startedAt, endedAt, outputBytes, trace, digests } = result;
    Object.assign(facts, { exit_code, signal, endedByUs, startedAt, endedAt, outputBytes, trace, digests });
    facts.terminal = terminalFacts(request, result);
    if (result.error) throw result.error;
  });
  if (facts.startedAt === null) facts.endedAt = clock.now();
  // The reserve is what the last events, meta and seal are written with when the disk is full.
  reserve.release();
  await step('fs-after', async () => {
    const after = await workspace.after();
    if (!after) return;
    facts.diff = after.diff;
    facts.entries = after.entries;
    if (after.diff.unreadable.length > 0) {
      const warning = { paths: after.diff.unreadable.slice(0, 20).map(({ path: name }) => name) };
      await log.append([warningDraft(draftContext, timestamp(clock.now()), 'SNAPSHOT_INCOMPLETE', warning)]);
    }
  });
  fs.rmSync(managed.temporary, { recursive: true, force: true });
  const finished = await finishAttempt(run, facts, log, context);
  return {
    ...finished,
    engine,
    ...pick(log.endEvidence, request),
    runId: folder.runId,
    runDir: folder.path,
    attempt,
    exit_code: facts.exit_code,
    signal: facts.signal,
    error: facts.error,
    durationMs: Math.round((clock.now() - begun) / 1000),
  };

  /** The first step that fails is named in meta; what comes after it is left out, except for writing that down. */
  async function step<T>(name: string, work: () => T | Promise<T>): Promise<T | null> {
    // With a full disk even the snapshot has to give way: the last space is for saying what happened.
    if (facts.error && (name !== 'fs-after' || facts.error.code === 'DISK_FULL')) return null;
    try {
      return await work();
    } catch (error) {
      facts.error ??= error instanceof TachoError ? error : internalError(error);
      facts.failedStep ??= name;
      return null;
    }
  }

  function started(control: TerminalControl): void {
    const now = new Date().toISOString();
    run.record.live = {
      ...run.record.live!,
      child: identityOf(control.pid),
      started_at: now,
      env_names: environment!.names,
      secret_names: environment!.secrets.map(({ name }) => name),
    };
    run.record.updated_at = now;
    writeRunRecord(folder, run.record);
    watcher.started?.(control);
  }
}

function pick({ sessionId, model, usage, lastMessage }: EndEvidence, request: SettledRequest) {
  return { sessionId, model: model ?? request.model ?? null, usage, lastMessage };
}

function internalError(cause: unknown): TachoError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new TachoError('INTERNAL', `unexpected: ${message}`, { cause });
}
