import fs from 'node:fs';
import { ownIdentity } from '../../files/index.ts';
import type { Claim, Journal } from '../../journal/index.ts';
import {
  type EngineReading,
  hasEnded,
  RUN_FORMAT,
  type RunRecord,
  type ShownRequest,
  statusPhrase,
  TachoError,
} from '../../protocol/index.ts';
import { createRunFolder, findRun, handleOf, nextAttempt, type RunFolder } from '../../recording/index.ts';
import type { DataHome } from '../data-home.ts';
import { removeCancelRequest } from '../request/cancel-request.ts';
import { briefRequest } from '../request/shown-request.ts';
import { RecordFile } from '../state/record-file.ts';
import { announceLive, withdrawLive } from './live-runs.ts';

/** A run whose lock this process holds, with its next attempt about to begin. */
export interface PreparedRun {
  folder: RunFolder;
  attempt: number;
  journal: Journal;
  claim: Claim;
  file: RecordFile;
  /** As in the file, plus facts about the new attempt that the events do not contain yet. */
  record: RunRecord;
}

export interface PrepareOptions {
  engine: string;
  /** How the output of an engine is read that the configuration defines. */
  reading?: EngineReading | undefined;
  /** The working folder; null: that of the run's last attempt, or the one in the run folder. */
  cwd: string | null;
  /** An existing run that gets another attempt. */
  run?: string | null;
  /** The run is queued, and must not have ended since. */
  announced?: boolean;
  /** The request as it may be recorded, if any. */
  shown?: ShownRequest;
  /** The engine session to continue. */
  session?: string | null;
  /** The command as it may be recorded: without the values of secrets. */
  shownCommand(workspace: string, handle: string): readonly string[];
  capture: NonNullable<RunRecord['live']>['capture'];
  /** Facts about the environment that are known before it is built. */
  known?: Pick<NonNullable<RunRecord['live']>, 'env_names' | 'secret_names'>;
  home: DataHome;
  openJournal(folder: RunFolder): Journal;
  marker: string;
}

/** Creates the run folder, takes the lock, assigns the attempt number, and marks the record as live. */
export async function prepareRun({
  engine,
  reading,
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
    // Under the lock, so that an attempt that just ended has written its last events.
    const open = existing ? await RecordFile.open(existing, journal) : null;
    if (announced && open) refuseEnded(open.record);
    // A cancel requested before the end is done.
    if (open && hasEnded(open.record)) removeCancelRequest(folder);
    const attempt = nextAttempt(folder);
    const cwd = wantedCwd ?? open?.record.cwd ?? folder.work;
    if (cwd === folder.work) fs.mkdirSync(cwd, { recursive: true, mode: 0o700 });
    const asked = {
      engine,
      ...(reading ? { reading } : {}),
      command: [...shownCommand(cwd, handleOf(folder.runId))],
      ...(shown ? requestFields(shown, session ?? open?.record.session_id ?? null) : {}),
      cwd,
      workspace_root: cwd,
    };
    const file = open ?? RecordFile.begin(folder, { ...blankRecord(folder), ...asked });
    const supervisor = ownIdentity();
    file.setLive({ attempt, supervisor, child: null, marker, started_at: null, capture, ...known });
    // Written together with the events that contain it.
    delete file.record.reading;
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

/** It may have been canceled between selection and start; under the lock it cannot change any more. */
function refuseEnded({ handle, status }: RunRecord): void {
  if (status === 'queued') return;
  throw new TachoError('RUN_ENDED', `run ${handle} ${statusPhrase({ status })} and does not wait to be started`, {
    facts: { status },
  });
}

/** The request as fields of the record. */
export function requestFields(shown: ShownRequest, session_id: string | null): Partial<RunRecord> {
  const request = briefRequest(shown);
  return shown.engine === undefined ? { request } : { request, mode: shown.mode, session_id };
}

/** For a run without events. */
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

/** Rejects a cwd that is not a folder, before anything is written. */
export function checkWorkingFolder(cwd: string | null): void {
  if (cwd === null || fs.statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new TachoError('CWD_NOT_FOUND', `${cwd} is not a folder`, {
    facts: { path: cwd },
    fix: 'Give an existing folder, or leave it out.',
  });
}
