import fs from 'node:fs';
import { ownIdentity } from '../../files/index.ts';
import type { Claim, Journal } from '../../journal/index.ts';
import { hasEnded, RUN_FORMAT, type RunRecord, type ShownRequest, TachoError } from '../../protocol/index.ts';
import { createRunFolder, findRun, handleOf, nextAttempt, type RunFolder } from '../../recording/index.ts';
import type { DataHome } from '../data-home.ts';
import { removeCancelRequest } from '../request/cancel-request.ts';
import { briefRequest } from '../request/shown-request.ts';
import { RecordFile } from '../state/record-file.ts';
import { announceLive, withdrawLive } from './live-runs.ts';

/** A run whose lock we hold, with its next attempt about to begin. */
export interface PreparedRun {
  folder: RunFolder;
  attempt: number;
  journal: Journal;
  claim: Claim;
  file: RecordFile;
  /** As the file holds it; of the attempt to come also what the events do not say yet. */
  record: RunRecord;
}

export interface PrepareOptions {
  engine: string;
  /** The working folder; null: that of the run's last attempt, or the one in the run folder. */
  cwd: string | null;
  /** An existing run, to which this adds an attempt. */
  run?: string | null;
  /** The run is queued, and must not have ended since. */
  announced?: boolean;
  /** The request as it may be recorded, where there is one. */
  shown?: ShownRequest;
  /** The engine session that is continued. */
  session?: string | null;
  /** The command as it may be recorded: without the values of secrets. */
  shownCommand(workspace: string): readonly string[];
  capture: NonNullable<RunRecord['live']>['capture'];
  /** What is known of the environment before it is made. */
  known?: Pick<NonNullable<RunRecord['live']>, 'env_names' | 'secret_names'>;
  home: DataHome;
  openJournal(folder: RunFolder): Journal;
  marker: string;
}

/** Run folder, lock, attempt number, and the record that says it is running. */
export async function prepareRun({
  engine,
  cwd: wantedCwd,
  run = null,
  announced = false,
  shown,
  session = null,
  shownCommand,
  capture,
  known = { env_names: [], secret_names: [] },
  home,
  openJournal,
  marker,
}: PrepareOptions): Promise<PreparedRun> {
  const existing = run === null ? null : findRun(home.runs, run);
  const folder = existing ?? createRunFolder(home.runs, engine, { announce: (made) => announceLive(home, made) });
  const journal = openJournal(folder);
  let claim: Claim | null = null;
  try {
    claim = await journal.claim(folder.runId);
    announceLive(home, folder);
    // Under the lock: an attempt that ended just now has left its last word.
    const open = existing ? await RecordFile.open(existing, journal) : null;
    if (announced && open) refuseEnded(open.record);
    // One that was asked for before the end was carried out by it.
    if (open && hasEnded(open.record)) removeCancelRequest(folder);
    const attempt = nextAttempt(folder);
    const cwd = wantedCwd ?? open?.record.cwd ?? folder.work;
    if (cwd === folder.work) fs.mkdirSync(cwd, { recursive: true, mode: 0o700 });
    const asked = {
      engine,
      command: [...shownCommand(cwd)],
      ...(shown ? requestFields(shown, session ?? open?.record.session_id ?? null) : {}),
      cwd,
      workspace_root: cwd,
    };
    const file = open ?? RecordFile.begin(folder, { ...blankRecord(folder), ...asked });
    const supervisor = ownIdentity();
    file.setLive({ attempt, supervisor, child: null, marker, started_at: null, capture, ...known });
    // Written with the events that say so.
    Object.assign(file.record, asked);
    return { folder, attempt, journal, claim, file, record: file.record };
  } catch (error) {
    // Nothing was recorded yet, so there is nothing to recover.
    if (claim || !existing) withdrawLive(home, folder);
    if (claim) await journal.release(folder.runId, claim.epoch).catch(() => {});
    if (!existing) fs.rmSync(folder.path, { recursive: true, force: true });
    throw error;
  }
}

/** It may have been canceled between being chosen and being started: now nobody else can change it any more. */
function refuseEnded({ handle, status }: RunRecord): void {
  if (status === 'queued') return;
  throw new TachoError('RUN_ENDED', `run ${handle} is ${status} and does not wait to be started`, {
    facts: { status },
  });
}

/** What a run was asked for, as its record holds it. */
export function requestFields(shown: ShownRequest, session_id: string | null): Partial<RunRecord> {
  const request = briefRequest(shown);
  return shown.engine === undefined ? { request } : { request, mode: shown.mode, session_id };
}

/** Of a run that has no event yet. */
function blankRecord(folder: RunFolder): Omit<RunRecord, 'engine' | 'command' | 'cwd' | 'workspace_root'> {
  const now = new Date().toISOString();
  return {
    format: RUN_FORMAT,
    run_id: folder.runId,
    handle: handleOf(folder.runId),
    status: 'running',
    attempt: 1,
    created_at: now,
    updated_at: now,
    live: null,
    last: null,
  };
}

/** Refuses a working folder that is not one, before anything is written. */
export function checkWorkingFolder(cwd: string | null): void {
  if (cwd === null || fs.statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new TachoError('CWD_NOT_FOUND', `${cwd} is not a folder`, {
    facts: { path: cwd },
    fix: 'Give an existing folder, or leave it out.',
  });
}
