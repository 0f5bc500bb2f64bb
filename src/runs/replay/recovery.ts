import fs from 'node:fs';
import path from 'node:path';
import { type EngineProfile, engineOf } from '../../engines/index.ts';
import { isAlive, isRegularFile, pollUntil, readProcessStat } from '../../files/index.ts';
import { type Claim, isLocked, type Journal } from '../../journal/index.ts';
import {
  attemptFileNames,
  CONVERSATION_FILE,
  isEvent,
  type OutputStream,
  type RaspEvent,
  type RawStream,
  type Redactions,
  RUN_RECORD_FILE,
  type RunRecord,
  type SettingsFrom,
  type SettledRequest,
} from '../../protocol/index.ts';
import {
  findRun,
  handleOf,
  hashFile,
  ptyHeaderBytes,
  type RunFolder,
  readRunRecord,
  timestamp,
  writeWhole,
} from '../../recording/index.ts';
import { endTree } from '../../terminal/index.ts';
import { Attempt } from '../attempt/attempt.ts';
import type { AttemptLog } from '../attempt/attempt-log.ts';
import type { AttemptPlan } from '../attempt/attempt-plan.ts';
import { type AlreadyTold, leaveSealed } from '../attempt/closing.ts';
import { checkpointDraft, warningDraft } from '../attempt/drafts.ts';
import { type AnnouncedRun, announcedRuns, dropDangling } from '../attempt/live-runs.ts';
import type { PreparedRun } from '../attempt/prepare-run.ts';
import type { ProgramEnd } from '../attempt/programs/program.ts';
import { WorkspaceWatch } from '../attempt/workspace-watch.ts';
import { openJournal, type RunContext } from '../context.ts';
import { locateControl, removeControl } from '../control/control-path.ts';
import { managedFolders } from '../launch/isolated-environment.ts';
import { removePendingAttempt } from '../request/pending-attempt.ts';
import { recordedRequest } from '../request/recorded-request.ts';
import { forgetRun, readStoredRequest } from '../request/stored-request.ts';
import { isEntered, refuseToSign } from '../seals/seal-and-enter.ts';
import { isOwn } from '../seals/verify-in-place.ts';
import { RecordFile } from '../state/record-file.ts';
import { withRunLock } from '../state/with-run-lock.ts';
import { carryOutCancels } from './cancel-waiting.ts';
import { completeClosing } from './close-run.ts';
import { readRedactions, replayAttempt } from './replay-attempt.ts';

/** Runs that were completed, and those that need a person. */
export interface Recovery {
  completed: string[];
  /** Somebody had asked for that, and nobody had done it. */
  canceled: string[];
  failed: { runId: string; message: string }[];
}

/** No process has this number, and no session. */
const NO_PROCESS = -1;
/** A link to a folder without a record, younger than this, may be of a recorder that is just beginning. */
const BEGINNING_MS = 60_000;
const LET_GO_MS = 2000;
const LET_GO_LOOK_MS = 20;

/** Completes every run whose recording process died, and carries out cancels that nobody did. One that cannot be completed does not keep the others from it. */
export async function recoverLostRuns(context: RunContext): Promise<Recovery> {
  const recovery: Recovery = { completed: [], canceled: [], failed: [] };
  dropDangling(context.home);
  for (const announced of announcedRuns(context.home)) {
    const { runId } = announced.folder;
    try {
      if (await recoverAnnounced(announced, context)) recovery.completed.push(runId);
    } catch (error) {
      recovery.failed.push({ runId, message: (error as Error).message });
    }
  }
  const { canceled, failed } = await carryOutCancels(context);
  recovery.canceled.push(...canceled);
  recovery.failed.push(...failed);
  return recovery;
}

/** True while the record says that somebody records the run and nobody does. */
export function isLost({ live }: RunRecord, { audit }: RunFolder): boolean {
  return live !== null && !isLocked(audit);
}

/**
 * The same, for whoever is about to do something about it. A process that was killed a moment ago may still hold its
 * lock: it keeps its files until its last thread has ended, and a child that it had just begun keeps them a little longer.
 */
async function isLostSoon(record: RunRecord, folder: RunFolder): Promise<boolean> {
  if (record.live === null || !isEnding(record.live.supervisor)) return isLost(record, folder);
  const letGo = await pollUntil(() => !isLocked(folder.audit), { everyMs: LET_GO_LOOK_MS, timeoutMs: LET_GO_MS });
  return letGo !== null;
}

/** Dead, or only not quite: its first thread has ended, and the others are about to. */
function isEnding(supervisor: NonNullable<RunRecord['live']>['supervisor']): boolean {
  return !isAlive(supervisor) || readProcessStat(supervisor.pid)?.state === 'Z';
}

async function recoverAnnounced({ folder, link }: AnnouncedRun, context: RunContext): Promise<boolean> {
  if (!fs.existsSync(path.join(folder.path, RUN_RECORD_FILE))) {
    await settleNeverBegun({ folder, link }, context);
    return false;
  }
  const completed = await completeLostAttempt(folder.path, context);
  // It was cut off between its last word and the removal of the link, or before it had changed anything.
  if (!completed && (readRunRecord(folder).live !== null || isLocked(folder.audit))) return false;
  if (!completed) {
    const { attempt } = readRunRecord(folder);
    await withRunLock(folder, context, async () => removeLeft(folder, attempt, context), 0);
  }
  fs.rmSync(link, { force: true });
  return completed;
}

/**
 * Whoever died before it wrote the run's record has recorded nothing, and leaves nothing to be kept; unless the first
 * events are there: those of a queued run come before its record, and the record follows from them.
 */
async function settleNeverBegun({ folder, link }: AnnouncedRun, context: RunContext): Promise<void> {
  const locks = fs.existsSync(folder.audit)
    ? fs.readdirSync(folder.audit).filter((name) => /^lock\.\d+$/.test(name))
    : [];
  if (isLocked(folder.audit)) return;
  if (locks.length === 0 && Date.now() - fs.lstatSync(link).ctimeMs < BEGINNING_MS) return;
  const journal = openJournal(folder, context.config);
  fs.mkdirSync(folder.audit, { recursive: true, mode: 0o700 });
  const claim = await journal.claim(folder.runId);
  try {
    if (fs.existsSync(path.join(folder.path, RUN_RECORD_FILE))) return;
    if (claim.lastSeq > 0) await RecordFile.restore(folder, journal);
    else forgetRun(folder);
    fs.rmSync(link, { force: true });
  } finally {
    await journal.release(folder.runId, claim.epoch).catch(() => {});
  }
}

/** Finishes the record of an attempt whose supervisor is gone, from what is on disk. False when there is nothing to do. */
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
  const attempt = await openLost(run, context);
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

/** What a recorder removes when an attempt is over: how it could be reached, and the temporary folder of the program. */
function removeLeft(folder: RunFolder, attempt: number, { home }: RunContext): void {
  const handle = handleOf(folder.runId);
  removeControl(locateControl(home, handle));
  fs.rmSync(managedFolders(home.managed, `${handle}.${attempt}`).temporary, { recursive: true, force: true });
}

/** The recorder died when the attempt was sealed and entered into the ledger: nothing is left to be signed. */
async function leaveEntered({ folder, file, record, attempt }: PreparedRun, context: RunContext): Promise<void> {
  const { status, last, engine } = record;
  removeLeft(folder, attempt, context);
  const { approvals: asks } = engineOf(engine).capabilities;
  if (record.live?.closing) removePendingAttempt(folder);
  await leaveSealed({ folder, file }, context.home, { status, reason_code: last?.reason_code, asks });
  fs.rmSync(path.join(folder.audit, `reserve.${attempt}.tmp`), { force: true });
}

/** Under the lock: null when another process completed the attempt meanwhile. */
async function lostAttempt(folder: RunFolder, journal: Journal, claim: Claim): Promise<PreparedRun | null> {
  const file = await RecordFile.open(folder, journal);
  const { record } = file;
  if (record.live === null) return null;
  return { folder, attempt: record.live.attempt ?? record.attempt, journal, claim, file, record };
}

function openLost(run: PreparedRun, context: RunContext): Promise<Attempt> {
  const { record, folder } = run;
  const profile = profileOf(record);
  const plan: AttemptPlan = {
    profile,
    mode: record.mode ?? 'auto',
    markerRequired: recordedRequest(record)?.require_marker ?? false,
    conversation: hasConversation(folder, profile),
    settings: storedSettings(run, context),
  };
  return Attempt.open(run, plan, context);
}

/** Kept outside the run folder while the run can go on; null for a session, which nobody requested. */
function storedSettings({ folder }: PreparedRun, { home }: RunContext): SettingsFrom[] | null {
  try {
    return (isOwn(folder, home) && readStoredRequest(folder)?.settings) || null;
  } catch {
    return null; // Damaged; the record is completed without.
  }
}

/** Reads what the recorder had not come to, tells that it was lost, and gathers what is known of the attempt. */
async function completeEvents(attempt: Attempt, context: RunContext): Promise<ProgramEnd> {
  const { run, log, facts, drafts } = attempt;
  const { folder, record, journal, claim } = run;
  const live = record.live!;
  const known = await readKnown(journal.read(folder.runId), run.attempt, log);
  const endedAt = (known.lastTime ?? Date.parse(record.updated_at)) * 1000;
  const request = recordedRequest(record);
  const settings = { ...context.config.recording, ...(request?.recording as Partial<SettledRequest['recording']>) };
  const after = await new WorkspaceWatch(run, context, settings).afterCrash().catch(() => null);
  Object.assign(facts, {
    injected: Object.keys(live.injected ?? {}),
    startedAt: live.started_at === null ? null : Date.parse(live.started_at) * 1000,
    supervisorLost: true,
    failedStep: 'supervisor',
    outputBytes: outputSizes(folder, run.attempt).reduce((sum, { bytes }) => sum + bytes, 0),
    ...after,
  });
  attempt.told = known;
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

/** An engine's run always has one, that of a command where it was asked for. */
function hasConversation({ audit }: RunFolder, { terminalBy }: EngineProfile): boolean {
  return terminalBy === 'engine' || isRegularFile(path.join(audit, CONVERSATION_FILE));
}

function profileOf(record: RunRecord) {
  return engineOf(record.engine, { parsed: recordedRequest(record)?.parse ?? true });
}

/**
 * The program may have outlived its recorder: it ignores hang-ups. Named by pid, start time and marker, never by pid
 * alone; by its marker where the recorder died before it had noted the pid.
 */
async function endLostTree({ live }: RunRecord, graceMs: number): Promise<void> {
  const { child, marker } = live!;
  const { pid: leader = NO_PROCESS, start_time: leaderStartTime = '' } = child ?? {};
  await endTree({ leader, leaderStartTime, marker, exclusive: false }, graceMs);
}

interface Known extends AlreadyTold {
  /** Events that a parser gave already. */
  parserBorn: number;
  /** Bytes of each stream that events already speak of. */
  covered: Record<OutputStream, number>;
  /** How the program ended, where the journal says so already. */
  exit: { exit_code: number | null; signal: string | null };
  lastTime: number | null;
  /** That the recorder was lost is said already: a recovery was cut off, too. */
  lost: boolean;
}

async function readKnown(events: AsyncIterable<RaspEvent[]>, attempt: number, log: AttemptLog): Promise<Known> {
  const artifacts = new Set<string>();
  const covered = { stdout: 0, stderr: 0, pty: 0 };
  const exit = { exit_code: null, signal: null };
  const told: AlreadyTold = { completion: null, status: false, artifacts };
  const known: Known = { ...told, parserBorn: 0, covered, exit, lastTime: null, lost: false };
  for await (const batch of events) {
    const own = batch.filter((event) => event.attempt_number === attempt);
    log.count(own);
    for (const event of own) {
      log.correlator.observe(event, event.seq);
      known.lastTime = Date.parse(event.ts);
      const parserBorn = event.source.stream !== null;
      if (parserBorn) known.parserBorn++;
      if (isEvent(event, 'lifecycle.completion.state')) {
        const { exit_code = null, signal = null, ...completion } = event.data;
        known.exit = { exit_code, signal };
        known.completion = {
          ...completion,
          rule: 0,
          evidence: [{ kind: 'event', detail: `seq ${event.seq}`, raw_ref: null }],
        };
      }
      if (isEvent(event, 'diagnostic.runtime.warning')) known.lost ||= event.data.code === 'SUPERVISOR_LOST';
      if (isEvent(event, 'lifecycle.run.status')) known.status = known.completion !== null;
      if (event.event.category === 'artifact') artifacts.add((event.data as { path: string }).path);
      // A command of a session points at what it printed before the parser has read it.
      if (!parserBorn) continue;
      for (const range of Array.isArray(event.raw_ref) ? event.raw_ref : [event.raw_ref]) {
        if (!range || range.stream === 'stdin') continue;
        known.covered[range.stream] = Math.max(known.covered[range.stream], range.byte_to);
      }
    }
  }
  return known;
}

/** Parses the bytes that no event speaks of yet, and keeps their events. */
async function appendMissing(run: PreparedRun, known: Known, log: AttemptLog, endedAt: number): Promise<void> {
  const { folder, record, attempt } = run;
  const mode = record.live!.capture.mode === 'merged' ? 'merged' : 'split';
  maskUnread(run, known);
  const { parser, terminalBy } = profileOf(record);
  // Lines of a plain command mean nothing to each other; an engine's do, so all of them are read again, and what is
  // known already is passed over: the same bytes give the same events.
  const fromStart = terminalBy === 'engine';
  let toPass = fromStart ? known.parserBorn : 0;
  const replay = replayAttempt({
    folder,
    attempt,
    engine: record.engine,
    mode,
    createParser: parser.create,
    exit: { exit_code: null, signal: null, time: endedAt / 1000 },
    ...(fromStart ? {} : { from: known.covered }),
  });
  for (const drafts of replay) {
    const passed = Math.min(toPass, drafts.length);
    toPass -= passed;
    await log.append(drafts.slice(passed));
  }
}

/**
 * The values of secrets died with the supervisor. What it printed after its last event may hold one, so that part is
 * masked as a whole; the raw file keeps it.
 */
function maskUnread({ folder, record, attempt }: PreparedRun, known: Known): void {
  const names = record.live?.secret_names ?? [];
  if (names.length === 0) return;
  const files = attemptFileNames(attempt);
  const header = ptyHeaderBytes(path.join(folder.audit, files.pty));
  const unread = outputSizes(folder, attempt).map(({ stream, bytes }) => ({
    stream,
    byte_from: Math.max(0, known.covered[stream] - (stream === 'pty' ? header : 0)),
    byte_to: bytes,
    name: names.join(' '),
  }));
  const ranges = [...readRedactions(folder, attempt), ...unread.filter((range) => range.byte_from < range.byte_to)];
  const content: Redactions = { format: 'tacho-redactions/1', ranges };
  writeWhole(path.join(folder.audit, files.redactions), `${JSON.stringify(content)}\n`, { replace: true });
}

/** Output streams with their sizes, headers not counted. */
function outputSizes(folder: RunFolder, attempt: number): { stream: OutputStream; bytes: number }[] {
  const names = attemptFileNames(attempt);
  const size = (name: string) => {
    const stat = fs.lstatSync(path.join(folder.audit, name), { throwIfNoEntry: false });
    return stat?.isFile() ? stat.size : null;
  };
  if (size(names.stdout) === null) {
    const bytes = Math.max(0, (size(names.pty) ?? 0) - ptyHeaderBytes(path.join(folder.audit, names.pty)));
    return [{ stream: 'pty', bytes }];
  }
  return [
    { stream: 'stdout', bytes: size(names.stdout) ?? 0 },
    { stream: 'stderr', bytes: size(names.stderr) ?? 0 },
  ];
}

function checkpoints(folder: RunFolder, attempt: number): { stream: RawStream; bytes: number; sha256: string }[] {
  const names = attemptFileNames(attempt);
  const streams = ['stdin', 'stdout', 'stderr', 'pty'] as const;
  return streams
    .map((stream) => ({ stream, file: path.join(folder.audit, names[stream]) }))
    .filter(({ file }) => isRegularFile(file))
    .map(({ stream, file }) => ({ stream, ...hashFile(file) }));
}
