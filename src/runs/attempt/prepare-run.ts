import fs from 'node:fs';
import path from 'node:path';
import { ownIdentity } from '../../files/index.ts';
import type { Claim, Journal } from '../../journal/index.ts';
import { RUN_FORMAT, type RunRecord, TachoError } from '../../protocol/index.ts';
import {
  createRunFolder,
  findRun,
  handleOf,
  nextAttempt,
  type RunFolder,
  readRunRecord,
  runFolderAt,
  writeRunRecord,
} from '../../recording/index.ts';
import type { DataHome } from '../data-home.ts';
import type { AgentRequest } from '../request/agent-request.ts';
import { firstRequest, shownRequest } from '../request/first-request.ts';
import type { RunRequest } from '../request/run-request.ts';

/** A run whose lock we hold, with its next attempt about to begin. */
export interface PreparedRun {
  folder: RunFolder;
  attempt: number;
  journal: Journal;
  claim: Claim;
  record: RunRecord;
}

export interface PrepareOptions {
  request: Pick<RunRequest, 'engine' | 'agent' | 'cwd' | 'runSelector' | 'announced'>;
  /** The command as it may be recorded: without the values of secrets. */
  shownCommand(workspace: string): readonly string[];
  /** What is said to an engine, likewise. */
  shownPrompt?: string;
  capture: NonNullable<RunRecord['live']>['capture'];
  /** What is known of the environment before it is made. */
  known?: Pick<NonNullable<RunRecord['live']>, 'env_names' | 'secret_names'>;
  home: DataHome;
  openJournal(folder: RunFolder): Journal;
  marker: string;
}

/** Run folder, lock, attempt number, and the record that says it is running. */
export async function prepareRun({
  request,
  shownCommand,
  shownPrompt = '',
  capture,
  known = { env_names: [], secret_names: [] },
  home,
  openJournal,
  marker,
}: PrepareOptions): Promise<PreparedRun> {
  const existing = request.runSelector === null ? null : findRun(home.runs, request.runSelector);
  const previous = existing ? readRunRecord(existing) : null;
  const folder = existing ?? createRunFolder(home.runs, request.engine);
  const journal = openJournal(folder);
  const claim = await journal.claim(folder.runId);
  try {
    if (request.announced && existing) refuseEnded(existing);
    const attempt = nextAttempt(folder);
    const cwd = request.cwd ?? previous?.cwd ?? folder.path;
    const now = new Date().toISOString();
    const record: RunRecord = {
      format: RUN_FORMAT,
      run_id: folder.runId,
      handle: handleOf(folder.runId),
      engine: request.engine,
      status: 'running',
      attempt,
      command: [...shownCommand(cwd)],
      ...agentFields(request, shownPrompt, { folder, previous }),
      ...serviceFields(previous),
      cwd,
      workspace_root: cwd,
      created_at: previous?.created_at ?? now,
      updated_at: now,
      live: {
        supervisor: ownIdentity(),
        child: null,
        marker,
        started_at: null,
        capture,
        ...known,
      },
      last: previous?.last ?? null,
    };
    writeRunRecord(folder, record);
    announceLive(home, folder);
    return { folder, attempt, journal, claim, record };
  } catch (error) {
    await journal.release(folder.runId, claim.epoch);
    throw error;
  }
}

/** It may have been canceled between being chosen and being started: now nobody else can change it any more. */
function refuseEnded(folder: RunFolder): void {
  const { handle, status } = readRunRecord(folder);
  if (status === 'queued') return;
  throw new TachoError('RUN_ENDED', `run ${handle} is ${status} and does not wait to be started`, {
    facts: { status },
  });
}

/** What a later attempt of an engine's run needs to know. */
function agentFields(
  request: Pick<RunRequest, 'agent'>,
  shownPrompt: string,
  { folder, previous }: { folder: RunFolder; previous: RunRecord | null },
): Partial<RunRecord> {
  const { agent } = request;
  if (!agent) return {};
  return {
    request: (previous && firstRequest(previous, folder)) ?? shownRequest(shownPrompt),
    mode: agent.mode,
    session_id: agent.session ?? previous?.session_id ?? null,
    launch: launchFields(agent, shownPrompt),
  };
}

export function launchFields(agent: AgentRequest, shownPrompt: string): NonNullable<RunRecord['launch']> {
  return {
    model: agent.model,
    base_url: agent.baseUrl,
    engine_args: [...agent.engineArguments],
    require_marker: agent.requireMarker,
    format: agent.format,
    prompt: shownRequest(shownPrompt),
    ...(agent.parse ? {} : { parse: false }),
  };
}

/** What a run was queued with stays with it. */
function serviceFields(previous: RunRecord | null): Partial<RunRecord> {
  const { queue, limits, auto_reply, usage } = previous ?? {};
  return {
    ...(queue ? { queue } : {}),
    ...(limits ? { limits } : {}),
    ...(auto_reply ? { auto_reply } : {}),
    ...(usage ? { usage } : {}),
  };
}

/** Refuses a working folder that is not one, before anything is written. */
export function checkWorkingFolder(cwd: string | null): void {
  if (cwd === null || fs.statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new TachoError('CWD_NOT_FOUND', `${cwd} is not a folder`, {
    facts: { path: cwd },
    fix: 'Give an existing folder with --cwd, or leave it out to work in the run folder.',
  });
}

function announceLive(home: DataHome, folder: RunFolder): void {
  fs.mkdirSync(home.live, { recursive: true, mode: 0o700 });
  fs.writeFileSync(path.join(home.live, folder.runId), folder.path, { mode: 0o600 });
}

export function withdrawLive(home: DataHome, folder: RunFolder): void {
  fs.rmSync(path.join(home.live, folder.runId), { force: true });
}

/** Runs whose attempt was announced and not withdrawn: live ones, and lost ones. */
export function announcedRuns(home: DataHome): RunFolder[] {
  let names: string[];
  try {
    names = fs.readdirSync(home.live);
  } catch {
    return []; // No run was ever announced here.
  }
  const folders: RunFolder[] = [];
  for (const name of names) {
    const file = path.join(home.live, name);
    const folder = fs.readFileSync(file, 'utf8');
    if (fs.existsSync(folder)) folders.push(runFolderAt(folder));
    else fs.rmSync(file, { force: true }); // The run was deleted.
  }
  return folders;
}
