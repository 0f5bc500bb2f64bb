import fs from 'node:fs';
import path from 'node:path';
import { type EngineProfile, engineOf } from '../../engines/index.ts';
import { isAlive } from '../../files/index.ts';
import {
  attemptFileNames,
  CONVERSATION_FILE,
  type Completion,
  isEvent,
  type OutputStream,
  type RaspEvent,
  type RawStream,
  type Redactions,
  type RunRecord,
  type SettledRequest,
} from '../../protocol/index.ts';
import {
  findRun,
  hashFile,
  ptyHeaderBytes,
  type RunFolder,
  readRunRecord,
  timestamp,
  writeWhole,
} from '../../recording/index.ts';
import { endTree } from '../../terminal/index.ts';
import { type AttemptFacts, blankFacts } from '../attempt/attempt-facts.ts';
import { AttemptLog } from '../attempt/attempt-log.ts';
import { ConversationFile } from '../attempt/conversation-file.ts';
import { checkpointDraft, warningDraft } from '../attempt/drafts.ts';
import { finishAttempt } from '../attempt/finish-attempt.ts';
import { announcedRuns } from '../attempt/prepare-run.ts';
import { WorkspaceWatch } from '../attempt/workspace-watch.ts';
import { openJournal, type RunContext } from '../context.ts';
import { recordedRequest } from '../request/recorded-request.ts';
import { readRedactions, replayAttempt } from './replay-attempt.ts';

/** Runs that were completed, and those that need a person. */
export interface Recovery {
  completed: string[];
  failed: { runId: string; message: string }[];
}

/** Completes every run whose recording process died. One that cannot be completed does not keep the others from it. */
export async function recoverLostRuns(context: RunContext): Promise<Recovery> {
  const recovery: Recovery = { completed: [], failed: [] };
  for (const { path: folder, runId } of announcedRuns(context.home)) {
    try {
      if (await completeLostAttempt(folder, context)) recovery.completed.push(runId);
    } catch (error) {
      recovery.failed.push({ runId, message: (error as Error).message });
    }
  }
  return recovery;
}

/** True while the record says that somebody records the run and nobody does. */
export function isLost(record: RunRecord): boolean {
  return record.live !== null && !isAlive(record.live.supervisor);
}

/** Finishes the record of an attempt whose supervisor is gone, from what is on disk. False when there is nothing to do. */
export async function completeLostAttempt(selector: string, context: RunContext): Promise<boolean> {
  const folder = findRun(context.home.runs, selector);
  if (!isLost(readRunRecord(folder))) return false;
  const journal = openJournal(folder, context.config);
  const claim = await journal.claim(folder.runId);
  try {
    // Another process may have done it while we waited for nothing more than the lock.
    const record = readRunRecord(folder);
    if (!isLost(record)) return false;
    await endLostTree(record, recordedRequest(record)?.limits.kill_grace_ms ?? context.config.limits.kill_grace_ms);
    const profile = profileOf(record);
    const log = new AttemptLog({
      journal,
      claim,
      auditFolder: folder.audit,
      profile,
      conversation: hasConversation(folder, profile) ? await ConversationFile.open(folder, journal) : null,
    });
    const known = await readKnown(journal.read(folder.runId), record.attempt, log);
    const endedAt = (known.lastTime ?? Date.parse(record.updated_at)) * 1000;
    const facts = { ...(await gatherFacts(folder, record, endedAt, context)), ...known.exit };
    if (!known.completion) {
      const drafts = { attempt: record.attempt, engine: record.engine };
      const ts = timestamp(endedAt);
      if (claim.repaired) await log.append([warningDraft(drafts, ts, 'JOURNAL_REPAIRED', { ...claim.repaired })]);
      await appendMissing(folder, record, known, log, endedAt);
      await log.append([
        ...checkpoints(folder, record.attempt).map((stream) => checkpointDraft(drafts, ts, stream)),
        warningDraft(drafts, ts, 'SUPERVISOR_LOST'),
      ]);
    }
    await finishAttempt({ folder, attempt: record.attempt, record }, facts, log, context, known.completion);
    fs.rmSync(path.join(folder.audit, `reserve.${record.attempt}.tmp`), { force: true });
    return true;
  } finally {
    await journal.release(folder.runId, claim.epoch);
  }
}

/** An engine's run always has one, that of a command where it was asked for. */
function hasConversation({ audit }: RunFolder, { terminalBy }: EngineProfile): boolean {
  return terminalBy === 'engine' || fs.existsSync(path.join(audit, CONVERSATION_FILE));
}

function profileOf(record: RunRecord) {
  return engineOf(record.engine, { parsed: recordedRequest(record)?.parse ?? true });
}

/** The program may have outlived its recorder: it ignores hang-ups. Named by pid, start time and marker, never by pid alone. */
async function endLostTree(record: RunRecord, graceMs: number): Promise<void> {
  const { child, marker } = record.live!;
  if (!child) return;
  await endTree({ leader: child.pid, leaderStartTime: child.start_time, marker, exclusive: false }, graceMs);
}

interface Known {
  /** Events that a parser gave already. */
  parserBorn: number;
  /** Bytes of each stream that events already speak of. */
  covered: Record<OutputStream, number>;
  completion: Completion | null;
  /** How the program ended, where the journal says so already. */
  exit: { exit_code: number | null; signal: string | null } | null;
  lastTime: number | null;
}

async function readKnown(events: AsyncIterable<RaspEvent[]>, attempt: number, log: AttemptLog): Promise<Known> {
  const covered = { stdout: 0, stderr: 0, pty: 0 };
  const known: Known = { parserBorn: 0, covered, completion: null, exit: null, lastTime: null };
  for await (const batch of events) {
    const own = batch.filter((event) => event.attempt_number === attempt);
    log.count(own);
    for (const event of own) {
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
async function appendMissing(
  folder: RunFolder,
  record: RunRecord,
  known: Known,
  log: AttemptLog,
  endedAt: number,
): Promise<void> {
  const mode = record.live!.capture.mode === 'merged' ? 'merged' : 'split';
  maskUnread(folder, record, known);
  const { parser, terminalBy } = profileOf(record);
  // Lines of a plain command mean nothing to each other; an engine's do, so all of them are read again, and what is
  // known already is passed over: the same bytes give the same events.
  const fromStart = terminalBy === 'engine';
  let toPass = fromStart ? known.parserBorn : 0;
  const replay = replayAttempt({
    folder,
    attempt: record.attempt,
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
function maskUnread(folder: RunFolder, record: RunRecord, known: Known): void {
  const names = record.live?.secret_names ?? [];
  if (names.length === 0) return;
  const files = attemptFileNames(record.attempt);
  const header = ptyHeaderBytes(path.join(folder.audit, files.pty));
  const unread = outputSizes(folder, record.attempt).map(({ stream, bytes }) => ({
    stream,
    byte_from: Math.max(0, known.covered[stream] - (stream === 'pty' ? header : 0)),
    byte_to: bytes,
    name: names.join(' '),
  }));
  const ranges = [
    ...readRedactions(folder, record.attempt),
    ...unread.filter((range) => range.byte_from < range.byte_to),
  ];
  const content: Redactions = { format: 'tacho-redactions/1', ranges };
  writeWhole(path.join(folder.audit, files.redactions), `${JSON.stringify(content)}\n`, { replace: true });
}

/** Output streams with their sizes, headers not counted. */
function outputSizes(folder: RunFolder, attempt: number): { stream: OutputStream; bytes: number }[] {
  const names = attemptFileNames(attempt);
  const size = (name: string) => fs.statSync(path.join(folder.audit, name), { throwIfNoEntry: false })?.size ?? null;
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
    .filter(({ file }) => fs.existsSync(file))
    .map(({ stream, file }) => ({ stream, ...hashFile(file) }));
}

async function gatherFacts(
  folder: RunFolder,
  record: RunRecord,
  endedAt: number,
  context: RunContext,
): Promise<AttemptFacts> {
  const live = record.live!;
  const request = recordedRequest(record);
  const settings = { ...context.config.recording, ...(request?.recording as Partial<SettledRequest['recording']>) };
  const workspace = new WorkspaceWatch({ folder, attempt: record.attempt, record }, context, settings);
  const after = await workspace.afterCrash().catch(() => null);
  return {
    ...blankFacts({
      profile: profileOf(record),
      mode: record.mode ?? 'auto',
      markerRequired: request?.require_marker ?? false,
      command: record.command,
      cwd: record.cwd,
      capture: live.capture,
      endedAt,
    }),
    envNames: live.env_names,
    injected: Object.keys(live.injected ?? {}),
    startedAt: live.started_at === null ? null : Date.parse(live.started_at) * 1000,
    supervisorLost: true,
    failedStep: 'supervisor',
    outputBytes: outputSizes(folder, record.attempt).reduce((sum, { bytes }) => sum + bytes, 0),
    diff: after?.diff ?? null,
    entries: after?.entries ?? 0,
  };
}
