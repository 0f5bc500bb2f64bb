import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { readingOf } from '../../engines/index.ts';
import { ownIdentity } from '../../files/index.ts';
import type { RunQuestion, SettledRequest, Usage } from '../../protocol/index.ts';
import { openJournal, type RunContext } from '../context.ts';
import { openControl } from '../control/control-server.ts';
import { prepareDataHome } from '../data-home.ts';
import { copyCredentials, prepareEngineHome } from '../launch/engine-home.ts';
import { injectedDigests, injectFiles } from '../launch/injected-files.ts';
import { type ManagedFolders, managedFolders, type ProgramEnvironment } from '../launch/isolated-environment.ts';
import { type LaunchPlan, planLaunch } from '../launch/plan-launch.ts';
import { buildProgramEnv, hiderFor } from '../launch/program-environment.ts';
import { untestedVersion } from '../launch/untested-version.ts';
import { completeLostAttempt } from '../replay/complete-attempt.ts';
import type { AttemptOrder } from '../request/attempt-order.ts';
import { checkRequest } from '../request/check-request.ts';
import { engineNameOf } from '../request/settle-request.ts';
import { shownRequest } from '../request/shown-request.ts';
import { storeRequest } from '../request/stored-request.ts';
import { readContract } from '../result/read-contract.ts';
import type { RepairRules } from '../result/repair-order.ts';
import { skillFolderOf } from '../skills/skill-folder.ts';
import { showHome, writeSkills } from '../skills/write-skills.ts';
import { requestedOf } from '../state/requested.ts';
import { Attempt } from './attempt.ts';
import type { FinishedAttempt } from './attempt-plan.ts';
import { refuseLowDisk } from './disk-reserve.ts';
import { openingDrafts, shownOrder, skillsDraft, warningDraft } from './drafts.ts';
import { type PreparedRun, prepareRun } from './prepare-run.ts';
import { ignoreWatcherErrors, type RunWatcher } from './programs/run-watcher.ts';
import { TerminalProgram } from './programs/terminal-program.ts';

export interface RunOutcome extends FinishedAttempt {
  engine: string;
  runId: string;
  runDir: string;
  attempt: number;
  exit_code: number | null;
  signal: string | null;
  durationMs: number;
  /** As reported by the engine. */
  sessionId: string | null;
  model: string | null;
  usage: Usage | null;
  /** What the run waits to have answered. */
  question: RunQuestion | null;
}

/** Runs one attempt of a command from request to seal. Throws only for errors before anything was started. */
export async function supervise(
  { request, order }: { request: SettledRequest; order: AttemptOrder },
  context: RunContext,
  given: RunWatcher,
): Promise<RunOutcome> {
  const watcher = ignoreWatcherErrors(given);
  const plan = planLaunch(request, order, context);
  await checkRequest(request, plan, context);
  const contractOf = await readContract(request.packages, context);
  prepareDataHome(context.home);
  refuseLowDisk(context.home.root, Math.max(request.limits.disk_floor_bytes, context.config.limits.disk_floor_bytes));
  if (order.run !== null) await completeLostAttempt(order.run, context);

  const marker = randomUUID();
  const hideSecrets = hiderFor(request, { callerEnv: context.env, engineSets: plan.environment('') });
  const run = await prepareRun({
    engine: engineNameOf(request),
    reading: readingOf(plan.profile),
    cwd: request.cwd ?? null,
    run: order.run,
    announced: order.announced || order.repair !== undefined,
    shown: shownRequest(request, hideSecrets),
    session: order.session,
    shownCommand: (workspace, handle) => plan.argv(workspace, handle).map(hideSecrets),
    capture: { mode: request.capture, reason: request.capture_reason, level: request.recording.level },
    home: context.home,
    openJournal: (folder) => openJournal(folder, context.config),
    marker,
  });
  const { limits, recording } = request;
  const attempt = await Attempt.open(
    run,
    {
      profile: plan.profile,
      mode: request.mode,
      markerRequired: request.require_marker || contractOf !== null,
      contract: contractOf?.(run.record.handle) ?? null,
      repairs: repairRules(request, order),
      isRepair: order.repair !== undefined,
      engineVersion: plan.program?.version ?? null,
      conversation: request.engine !== undefined || recording.conversation,
      hideSecrets,
      recording,
      settings: request.settings ?? null,
      limits: {
        timeoutMs: limits.timeout_ms,
        noProgressMs: limits.no_progress_timeout_ms,
        outputBytes: limits.output_bytes ?? null,
        budget: limits,
      },
      ...(watcher.conversed && { onConversation: (messages) => watcher.conversed!(messages) }),
      onRecorded: (sizes) => watcher.recorded?.(sizes),
    },
    context,
  );
  await attempt.step('request', () => storeRequest(run.folder, request));
  const cancel = () => attempt.end('canceled');
  watcher.prepared?.({ runId: run.folder.runId, runDir: run.folder.path, attempt: run.attempt, cancel });
  return await record({ request, order, plan, context, watcher, run, attempt, marker, hideSecrets });
}

/** A repair turn is not repaired again. */
function repairRules({ limits }: SettledRequest, { repair, repairsHere = false }: AttemptOrder): RepairRules | null {
  if (repair) return null;
  return { maxAttempts: limits.max_attempts ?? null, owner: repairsHere ? ownIdentity() : null };
}

interface Recording {
  request: SettledRequest;
  order: AttemptOrder;
  plan: LaunchPlan;
  context: RunContext;
  watcher: RunWatcher;
  run: PreparedRun;
  attempt: Attempt;
  marker: string;
  hideSecrets(text: string): string;
}

/** The steps of an attempt, in an order that keeps it repeatable. */
async function record(recording: Recording): Promise<RunOutcome> {
  const { request, order, plan, context, run, attempt, hideSecrets } = recording;
  const { cwd, handle } = run.record;
  const begun = attempt.clock.now();
  const skillFolder = skillFolderOf(context.home, handle);
  const managed = managedFolders(context.home.managed, `${handle}.${run.attempt}`);
  attempt.onClose(() => fs.rmSync(managed.temporary, { recursive: true, force: true }));
  const control = await openControl(context.home, run.folder);
  attempt.onClose(() => control.close());
  control.beforeStart(() => attempt.end('canceled'));

  const said = plan.message(handle);
  const opening = openingDrafts(
    attempt.drafts,
    attempt.now,
    said === null ? null : shownOrder(order, said, hideSecrets),
    { ...order, requested: requestedOf(run.record, { ...order, ...placeOf(recording) }) },
  );
  await attempt.prepare([...opening, ...versionWarning(recording)]);
  // After the snapshot, so that injected files are distinguished from the program's changes to them.
  await attempt.step('files', () => {
    const { files = [] } = request;
    if (files.length === 0 || run.attempt > 1) return;
    attempt.setLive({ injected: injectedDigests(files) });
    attempt.facts.injected = files.map(({ path: name }) => name);
    injectFiles(cwd, files);
  });
  await attempt.step('skills', () => deliverSkills(recording));
  const environment = await attempt.step('environment', () =>
    buildProgramEnv(request, {
      caller: { env: context.env, cwd },
      managed,
      engineSets: plan.environment(cwd, handle),
      own: { TACHO_RUN_ID: run.folder.runId, ...(request.packages ? { TACHO_ARTIFACTS: skillFolder.artifacts } : {}) },
    }),
  );
  await attempt.step('engine', () => prepareHome(recording, managed));
  const end = environment && (await runInTerminal(recording, { environment, managed, control }));
  const finished = await attempt.finish(end ?? { exit_code: null, signal: null });
  const { sessionId, model, usage } = attempt.log.endEvidence;
  return {
    ...finished,
    engine: run.record.engine,
    sessionId,
    model: model ?? request.model ?? null,
    usage,
    question: run.file.record.question ?? null,
    runId: run.folder.runId,
    runDir: run.folder.path,
    attempt: run.attempt,
    exit_code: attempt.facts.exit_code,
    signal: attempt.facts.signal,
    durationMs: Math.round((attempt.clock.now() - begun) / 1000),
  };
}

/** A repair turn that the queue has started keeps its place there. */
function placeOf({ request, order }: Recording): { priority?: number } {
  return order.repair && !order.repairsHere ? { priority: request.priority } : {};
}

async function runInTerminal(
  { request, order, plan, watcher, run, attempt, marker, hideSecrets }: Recording,
  {
    environment: { env, names, secrets },
    managed,
    control,
  }: {
    environment: ProgramEnvironment;
    managed: ManagedFolders;
    control: Awaited<ReturnType<typeof openControl>>;
  },
) {
  const { cols, rows, capture, limits } = request;
  const { folder, record } = run;
  attempt.facts.envNames = names;
  record.live = { ...record.live!, env_names: names, secret_names: secrets.map(({ name }) => name) };
  const program = new TerminalProgram({
    folder,
    attempt: run.attempt,
    argv: plan.argv(record.cwd, record.handle),
    cwd: record.cwd,
    env,
    temporary: managed.temporary,
    capture,
    keepTrace: request.keep_trace,
    cols,
    rows,
    echo: order.interactive,
    exclusive: order.exclusive,
    marker,
    hideSecrets,
    lingerMs: limits.linger_ms,
    killGraceMs: limits.kill_grace_ms,
    onStarted: (terminal) => {
      control.attach(terminal);
      watcher.started?.(terminal);
    },
  });
  const mode = capture === 'merged' ? 'merged' : 'split';
  await attempt.start(program, { mode, header: { term: env.TERM!, cols, rows }, secrets });
  return await program.ended();
}

async function deliverSkills({ request, plan, run, attempt, context }: Recording): Promise<void> {
  const folder = skillFolderOf(context.home, run.record.handle);
  const skills = await writeSkills(request, { folder, profile: plan.profile, context });
  if (skills.length === 0) return;
  attempt.facts.skills = skills;
  await attempt.log.append([skillsDraft(attempt.drafts, attempt.now, skills)]);
}

async function prepareHome(recording: Recording, managed: ManagedFolders): Promise<void> {
  const { request, plan, run, attempt, context } = recording;
  await prepareEngineHome(plan.profile, plan.values(run.record.cwd, run.record.handle));
  if (request.packages?.length) showHome(managed.home, skillFolderOf(context.home, run.record.handle), plan.profile);
  if (!request.auth_from_home) return;
  const files = copyCredentials(plan.profile, managed.home);
  await attempt.log.append([warningDraft(attempt.drafts, attempt.now, 'CREDENTIALS_COPIED', { files })]);
}

function versionWarning({ attempt, plan, run }: Recording) {
  const untested = untestedVersion(run, plan);
  return untested ? [warningDraft(attempt.drafts, attempt.now, 'ENGINE_VERSION_UNTESTED', untested)] : [];
}
