import fs from 'node:fs';
import path from 'node:path';
import type { EngineProfile } from '../../engines/index.ts';
import { isRegularFile } from '../../files/index.ts';
import type { Claim, Journal } from '../../journal/index.ts';
import {
  attemptFileNames,
  CONVERSATION_FILE,
  type RunRecord,
  type SettingsFrom,
  type SettledRequest,
  WATCHED,
} from '../../protocol/index.ts';
import { findRun, handleOf, lastChunk, type RunFolder, readRunRecord, timestamp } from '../../recording/index.ts';
import { endTree } from '../../terminal/index.ts';
import { Attempt } from '../attempt/attempt.ts';
import type { AttemptPlan } from '../attempt/attempt-plan.ts';
import { leaveSealed } from '../attempt/closing.ts';
import { checkpointDraft, warningDraft } from '../attempt/drafts.ts';
import type { PreparedRun } from '../attempt/prepare-run.ts';
import type { ProgramEnd } from '../attempt/programs/program.ts';
import { WorkspaceWatch } from '../attempt/workspace-watch.ts';
import { openJournal, type RunContext } from '../context.ts';
import { locateControl, removeControl } from '../control/control-path.ts';
import { managedFolders } from '../launch/isolated-environment.ts';
import { removePendingAttempt } from '../request/pending-attempt.ts';
import { recordedProfile, recordedRequest, recordedSkills } from '../request/recorded-request.ts';
import { readStoredRequest } from '../request/stored-request.ts';
import type { SkillContract } from '../result/contract.ts';
import { readContract } from '../result/read-contract.ts';
import { isEntered, refuseToSign } from '../seals/seal-and-enter.ts';
import { isOwn } from '../seals/verify-in-place.ts';
import { RecordFile } from '../state/record-file.ts';
import { completeClosing } from './close-run.ts';
import { isLostSoon } from './is-lost.ts';
import { appendMissing, checkpoints, outputSizes, readKnown } from './missing-events.ts';

/** A pid and session id that no process has. */
const NO_PROCESS = -1;

/**
 * Finishes the record of an attempt whose supervisor is gone, from the files on disk. False when there is nothing to
 * do.
 */
export async function completeLostAttempt(selector: string, context: RunContext): Promise<boolean> {
  const folder = findRun(context.home.runs, selector);
  if (!(await isLostSoon(readRunRecord(folder), folder))) return false;
  const journal = openJournal(folder, context.config);
  const claim = await journal.claim(folder.runId);
  let run: PreparedRun | null;
  try {
    run = await lostAttempt(folder, journal, claim);
    if (run && (await isEntered(folder, run.attempt, context.home))) {
      await leaveEntered(run, context);
      await journal.release(folder.runId, claim.epoch);
      return true;
    }
    if (run) await refuseToSign(folder, run.attempt, context.home);
    if (run?.record.live?.closing) {
      const completed = await completeClosing({ folder, file: run.file, context }, journal, claim);
      await journal.release(folder.runId, claim.epoch);
      return completed;
    }
  } catch (error) {
    await journal.release(folder.runId, claim.epoch);
    throw error;
  }
  if (run === null) {
    await journal.release(folder.runId, claim.epoch);
    return false;
  }
  const attempt = await openLost(run, context, await contractOf(run.record, context));
  attempt.onClose(() => removeLeft(folder, attempt.run.attempt, context));
  try {
    const { record } = run;
    await endLostTree(record, recordedRequest(record)?.limits.kill_grace_ms ?? context.config.limits.kill_grace_ms);
    const end = await completeEvents(attempt, context);
    const finished = await attempt.finish(end);
    if (!finished.sealed) throw finished.error;
  } finally {
    await attempt.abandon();
  }
  fs.rmSync(path.join(folder.audit, `reserve.${run.attempt}.tmp`), { force: true });
  return true;
}

/** The files that a recorder removes after an attempt: its control socket, and the program's temporary folder. */
export function removeLeft(folder: RunFolder, attempt: number, { home }: RunContext): void {
  const handle = handleOf(folder.runId);
  removeControl(locateControl(home, handle));
  fs.rmSync(managedFolders(home.managed, `${handle}.${attempt}`).temporary, { recursive: true, force: true });
}

/** The recorder died after the seal was entered into the ledger: nothing is left to sign. */
async function leaveEntered({ folder, file, record, attempt }: PreparedRun, context: RunContext): Promise<void> {
  const { status, last } = record;
  removeLeft(folder, attempt, context);
  const { approvals: asks } = recordedProfile(record).capabilities;
  if (record.live?.closing) removePendingAttempt(folder);
  await leaveSealed({ folder, file }, context.home, { status, reason_code: last?.reason_code, asks });
  fs.rmSync(path.join(folder.audit, `reserve.${attempt}.tmp`), { force: true });
}

/** Requires the lock; null when another process completed the attempt meanwhile. */
async function lostAttempt(folder: RunFolder, journal: Journal, claim: Claim): Promise<PreparedRun | null> {
  const file = await RecordFile.open(folder, journal);
  const { record } = file;
  if (record.live === null) return null;
  return { folder, attempt: record.live.attempt ?? record.attempt, journal, claim, file, record };
}

function openLost(run: PreparedRun, context: RunContext, contract: SkillContract | null): Promise<Attempt> {
  const { record, folder } = run;
  const profile = recordedProfile(record);
  const plan: AttemptPlan = {
    profile,
    mode: record.mode ?? 'auto',
    markerRequired: (recordedRequest(record)?.require_marker ?? false) || contract !== null,
    contract,
    isRepair: record.repair_attempt === run.attempt,
    conversation: hasConversation(folder, profile),
    settings: storedSettings(run, context),
    watched: record.live?.capture.reason === WATCHED,
  };
  return Attempt.open(run, plan, context);
}

/** Null for a run without a skill, or one whose package is gone: its result is then lost with its recorder. */
async function contractOf(record: RunRecord, context: RunContext): Promise<SkillContract | null> {
  let contract: SkillContract | null;
  try {
    contract = (await readContract(recordedSkills(record).packages, context))?.(record.handle) ?? null;
  } catch {
    return null;
  }
  // A file may hold values of secrets that only the recorder knew.
  if (!contract || record.live?.secret_names.length === 0) return contract;
  const { result_json_filename: _, ...entrypoint } = contract.manifest.entrypoint;
  return { ...contract, manifest: { ...contract.manifest, entrypoint } };
}

/** Stored outside the run folder while the run can continue; null for a session, which has no request. */
function storedSettings({ folder }: PreparedRun, { home }: RunContext): SettingsFrom[] | null {
  try {
    return (isOwn(folder, home) && readStoredRequest(folder)?.settings) || null;
  } catch {
    return null; // Damaged; the record is completed without it.
  }
}

/** Parses the bytes that the recorder had not parsed, reports its loss, and collects the facts of the attempt. */
async function completeEvents(attempt: Attempt, context: RunContext): Promise<ProgramEnd> {
  const { run, log, facts, drafts } = attempt;
  const { folder, record, journal, claim } = run;
  const live = record.live!;
  const known = await readKnown(journal.read(folder.runId), run.attempt, log);
  const endedAt = lastActivity(run, known.lastTime);
  const request = recordedRequest(record);
  const settings = { ...context.config.recording, ...(request?.recording as Partial<SettledRequest['recording']>) };
  const after = await new WorkspaceWatch(run, context, settings).afterCrash().catch(() => null);
  Object.assign(facts, {
    injected: Object.keys(live.injected ?? {}),
    skills: known.skills,
    startedAt: live.started_at === null ? null : Date.parse(live.started_at) * 1000,
    supervisorLost: true,
    failedStep: 'supervisor',
    outputBytes: outputSizes(folder, run.attempt).reduce((sum, { bytes }) => sum + bytes, 0),
    ...after,
  });
  attempt.written = known;
  if (!known.completion) {
    const ts = timestamp(endedAt);
    if (claim.repaired) await log.append([warningDraft(drafts, ts, 'JOURNAL_REPAIRED', { ...claim.repaired })]);
    await appendMissing(run, known, log, endedAt);
    await log.append(checkpoints(folder, run.attempt).map((stream) => checkpointDraft(drafts, ts, stream)));
  }
  const isSealed = fs.existsSync(path.join(folder.audit, attemptFileNames(run.attempt).seal));
  if (!isSealed && !known.lost) await log.append([warningDraft(drafts, timestamp(endedAt), 'SUPERVISOR_LOST')]);
  return { ...known.exit, at: endedAt };
}

/**
 * In microseconds. The recorder may have stored output without events yet; the program can forge its times, but no end
 * can be in the future.
 */
function lastActivity({ folder, record, attempt }: PreparedRun, lastEvent: number | null): number {
  const eventTime = (lastEvent ?? Date.parse(record.updated_at)) * 1000;
  const output = lastChunk(path.join(folder.audit, attemptFileNames(attempt).chunks))?.time ?? 0;
  return output > eventTime && output <= Date.now() * 1000 ? output : eventTime;
}

/** A run of an engine always has one; a command only if requested. */
function hasConversation({ audit }: RunFolder, { terminalBy }: EngineProfile): boolean {
  return terminalBy === 'engine' || isRegularFile(path.join(audit, CONVERSATION_FILE));
}

/**
 * The program may have outlived its recorder, since it can ignore hang-ups. Identified by pid, start time and marker,
 * never by pid alone; by its marker alone if the recorder died before storing the pid.
 */
async function endLostTree({ live }: RunRecord, graceMs: number): Promise<void> {
  const { child, marker } = live!;
  const { pid: leader = NO_PROCESS, start_time: leaderStartTime = '' } = child ?? {};
  await endTree({ leader, leaderStartTime, marker, exclusive: false }, graceMs);
}
