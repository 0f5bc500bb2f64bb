import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { type EngineProfile, readingOf } from '../../engines/index.ts';
import { attemptFileNames, IMPORTED, type RunMode, TachoError, type Usage } from '../../protocol/index.ts';
import { appendAll, createAttemptFile, ptyOutputHeader, type RunFolder, timestamp } from '../../recording/index.ts';
import { Attempt } from '../attempt/attempt.ts';
import type { FinishedAttempt } from '../attempt/attempt-plan.ts';
import { requestedDraft, statusDraft } from '../attempt/drafts.ts';
import { prepareRun } from '../attempt/prepare-run.ts';
import { coveredBytes } from '../attempt/write-meta.ts';
import { openJournal, type RunContext } from '../context.ts';
import { prepareDataHome } from '../data-home.ts';
import { requestedOf } from '../state/requested.ts';
import { replayAttempt } from './replay-attempt.ts';

export interface ImportRequest {
  profile: EngineProfile;
  /** Files to read; `-` is standard input. */
  logs: { stdout: string | null; stderr: string | null; pty: string | null };
  exitCode: number | null;
  signal: string | null;
  mode: RunMode;
  requireMarker: boolean;
}

export interface ImportOutcome extends FinishedAttempt {
  runId: string;
  runDir: string;
  sessionId: string | null;
  usage: Usage | null;
  /** Events by type. */
  counts: Record<string, number>;
  /** Share of the bytes that are covered by an event. */
  coverage: number;
  bytes: number;
}

/** Creates a run from logs recorded elsewhere, with the same files, events, completion and seal as our own. */
export async function importRun(request: ImportRequest, context: RunContext): Promise<ImportOutcome> {
  const logFiles = openLogs(request.logs);
  try {
    return await importOpened(request, logFiles, context);
  } finally {
    closeLogs(logFiles);
  }
}

async function importOpened(
  request: ImportRequest,
  logFiles: Logs<number | null>,
  context: RunContext,
): Promise<ImportOutcome> {
  const { profile, logs, mode } = request;
  prepareDataHome(context.home);
  const split = logs.stdout !== null || logs.stderr !== null;
  const capture = {
    mode: split ? ('split' as const) : ('merged' as const),
    reason: IMPORTED,
    level: 'minimal' as const,
    ...(split && logs.pty !== null ? { merged_apart: true } : {}),
  };
  const run = await prepareRun({
    engine: profile.name,
    reading: readingOf(profile),
    cwd: null,
    shownCommand: () => ['tacho', 'import', profile.name, ...Object.values(logs).filter((name) => name !== null)],
    capture,
    home: context.home,
    openJournal: (folder) => openJournal(folder, context.config),
    // No process has this marker.
    marker: randomUUID(),
  });
  run.record.mode = mode;
  const plan = { profile, mode, markerRequired: request.requireMarker, conversation: true };
  const attempt = await Attempt.open(run, plan, context);
  const { folder } = run;
  const { facts, log } = attempt;
  const now = attempt.clock.now();
  const counts: Record<string, number> = {};
  await attempt.step('import', async () => {
    await log.append([
      requestedDraft(attempt.drafts, timestamp(now), requestedOf(run.record)),
      statusDraft(attempt.drafts, timestamp(now), 'running', { phase: 'imported' }),
    ]);
    const bytes = copyLogs(folder, run.attempt, logFiles, now);
    facts.startedAt = now;
    facts.outputBytes = split ? bytes.stdout + bytes.stderr : bytes.pty;
    const replay = replayAttempt({
      folder,
      attempt: run.attempt,
      engine: profile.name,
      mode: split ? 'split' : 'merged',
      mergedApart: capture.merged_apart ?? false,
      imported: true,
      createParser: profile.parser.create,
      exit: { exit_code: request.exitCode, signal: request.signal, time: now / 1000 },
    });
    for (const batch of replay) {
      for (const { event } of batch) counts[event.type] = (counts[event.type] ?? 0) + 1;
      await log.append(batch);
    }
  });
  const finished = await attempt.finish({ exit_code: request.exitCode, signal: request.signal, at: now });
  if (finished.error) throw finished.error;
  return {
    ...finished,
    runId: folder.runId,
    runDir: folder.path,
    sessionId: log.endEvidence.sessionId,
    usage: log.endEvidence.usage,
    counts,
    coverage: facts.outputBytes === 0 ? 1 : coveredBytes(log, capture) / facts.outputBytes,
    bytes: facts.outputBytes,
  };
}

type Logs<T> = { stdout: T; stderr: T; pty: T };

/** All logs are opened before anything is written, so that a wrong name leaves no partial run. */
function openLogs(logs: ImportRequest['logs']): Logs<number | null> {
  const open: Logs<number | null> = { stdout: null, stderr: null, pty: null };
  try {
    for (const name of ['stdout', 'stderr', 'pty'] as const) open[name] = openLog(logs[name]);
    return open;
  } catch (error) {
    closeLogs(open);
    throw error;
  }
}

/** Standard input stays open. */
function closeLogs(logs: Logs<number | null>): void {
  for (const fd of Object.values(logs)) if (fd !== null && fd !== 0) fs.closeSync(fd);
}

function openLog(file: string | null): number | null {
  if (file === null) return null;
  try {
    const stat = file === '-' ? fs.fstatSync(0) : fs.statSync(file);
    if (stat.isDirectory()) throw new Error('it is a folder');
    return file === '-' ? 0 : fs.openSync(file, 'r');
  } catch (cause) {
    throw new TachoError('IMPORT_FAILED', `${file} cannot be read: ${(cause as Error).message}`, {
      facts: { path: file },
      cause,
      fix: 'Give the path of a log; - reads standard input.',
    });
  }
}

/** Copies the logs to attempt files; returns their sizes. The merged one gets the header line of merged logs. */
function copyLogs(folder: RunFolder, attempt: number, logs: Logs<number | null>, now: number): Logs<number> {
  const names = attemptFileNames(attempt);
  const at = (name: string) => path.join(folder.audit, name);
  const split = logs.stdout !== null || logs.stderr !== null;
  const header = { startedAt: new Date(Math.floor(now / 1000)), term: 'dumb', cols: 0, rows: 0, command: 'imported' };
  return {
    stdout: split ? copy(logs.stdout, at(names.stdout)) : 0,
    stderr: split ? copy(logs.stderr, at(names.stderr)) : 0,
    pty: logs.pty === null ? 0 : copy(logs.pty, at(names.pty), ptyOutputHeader(header)),
  };
}

function copy(from: number | null, file: string, header = ''): number {
  const to = createAttemptFile(file);
  try {
    appendAll(to, [Buffer.from(header)], file);
    if (from === null) return 0;
    const piece = Buffer.alloc(256 * 1024);
    let bytes = 0;
    for (let read = readPiece(from, piece); read > 0; read = readPiece(from, piece)) {
      appendAll(to, [piece.subarray(0, read)], file);
      bytes += read;
    }
    return bytes;
  } finally {
    fs.closeSync(to);
  }
}

function readPiece(fd: number, piece: Buffer): number {
  for (;;) {
    try {
      return fs.readSync(fd, piece);
    } catch (error) {
      // Standard input may be a pipe without data yet.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}
