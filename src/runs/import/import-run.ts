import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { type EngineProfile, readingOf } from '../../engines/index.ts';
import {
  attemptFileNames,
  type ClaimedCompletion,
  type FsDiff,
  type RaspDraft,
  type RunMode,
  totalUsage,
  type Usage,
} from '../../protocol/index.ts';
import { timestamp, writeDiff } from '../../recording/index.ts';
import { Attempt } from '../attempt/attempt.ts';
import type { FinishedAttempt } from '../attempt/attempt-plan.ts';
import { announcingDrafts, interactionId, requestedDraft, statusDraft, warningDraft } from '../attempt/drafts.ts';
import { prepareRun } from '../attempt/prepare-run.ts';
import { coveredBytes } from '../attempt/write-meta.ts';
import { openJournal, type RunContext } from '../context.ts';
import { prepareDataHome } from '../data-home.ts';
import { replayAttempt } from '../replay/replay-attempt.ts';
import { requestedOf } from '../state/requested.ts';
import { importingSession, type SessionPlace } from './import-session.ts';
import type { Exit, ImportSource, WrittenLogs } from './import-source.ts';
import { SessionLog } from './session-log.ts';

export interface ImportRequest {
  /** How the logs are read. */
  profile: EngineProfile;
  source: ImportSource;
  /** How the program ended; null: as the logs say, if they do. */
  exit: Exit | null;
  mode: RunMode;
  requireMarker: boolean;
  /** The files, for the command line in the record. */
  files: readonly string[];
  /** What the person said, where only the command line of the program has it. */
  said?: string | null;
  /** The engine's session, if known before the log is read. */
  session?: string | null;
  /** How it ended in the words of its recorder. */
  claimed?: ClaimedCompletion | null;
}

export interface ImportOutcome extends FinishedAttempt {
  runId: string;
  runDir: string;
  attempts: number;
  sessionId: string | null;
  usage: Usage | null;
  /** Events by type. */
  counts: Record<string, number>;
  /** Share of the bytes that are covered by an event. */
  coverage: number;
  bytes: number;
}

/** Creates a run from logs recorded elsewhere, with the same files, events, completion and seal as our own. */
export async function importRun(
  attempts: readonly [ImportRequest, ...ImportRequest[]],
  context: RunContext,
): Promise<ImportOutcome> {
  const [{ profile, source: first }] = attempts;
  try {
    if (first instanceof SessionLog) {
      return await importingSession(first, profile.name, context, (session) =>
        importAttempt(attempts[0], { before: null, isContinued: false, session }, context),
      );
    }
    let outcome: ImportOutcome | null = null;
    for (const [index, request] of attempts.entries()) {
      const isContinued = index < attempts.length - 1;
      outcome = await importAttempt(request, { before: outcome, isContinued }, context);
    }
    return outcome!;
  } finally {
    for (const { source } of attempts) source.close();
  }
}

/** The place of an attempt in its run. */
interface Place {
  /** The attempts before. */
  before: ImportOutcome | null;
  isContinued: boolean;
  session?: SessionPlace;
}

async function importAttempt(
  request: ImportRequest,
  { before, isContinued, session }: Place,
  context: RunContext,
): Promise<ImportOutcome> {
  const { profile, source, mode } = request;
  const { capture } = source;
  prepareDataHome(context.home);
  const run = await prepareRun({
    engine: profile.name,
    reading: readingOf(profile),
    cwd: null,
    run: before?.runId ?? session?.run ?? null,
    shownCommand: () => ['tacho', 'import', profile.name, ...request.files],
    capture,
    home: context.home,
    openJournal: (folder) => openJournal(folder, context.config),
    // No process has this marker.
    marker: randomUUID(),
  });
  run.record.mode = mode;
  const plan = {
    profile,
    mode,
    markerRequired: request.requireMarker,
    conversation: true,
    imported: { isContinued, claimed: request.claimed ?? null },
  };
  const attempt = await Attempt.open(run, plan, context);
  session?.remember(run.folder.runId);
  const { facts, log, drafts } = attempt;
  const counts: Record<string, number> = { ...before?.counts };
  // A person who was asked has answered.
  const answers = before?.completion.state === 'awaiting_user_input' ? interactionId(run.attempt - 1) : null;
  const said = request.said ? { text: request.said, interaction_id: answers, session: null } : null;
  const now = attempt.clock.now();
  let end = { exit_code: request.exit?.exit_code ?? null, signal: request.exit?.signal ?? null, at: now };
  await attempt.step('import', async () => {
    const written = await writeLogs();
    end = { ...(request.exit ?? written.exit ?? end), at: written.endedAt ?? now };
    facts.startedAt = written.startedAt ?? now;
    facts.outputBytes = written.outputBytes;
    if (written.diff) keepDiff(written.diff);
    const split = capture.mode === 'split';
    const replay = replayAttempt({
      folder: run.folder,
      attempt: run.attempt,
      engine: profile.name,
      mode: split ? 'split' : 'merged',
      mergedApart: capture.merged_apart ?? false,
      imported: true,
      createParser: profile.parser.create,
      exit: { exit_code: end.exit_code, signal: end.signal, time: end.at / 1000 },
    });
    let isOpen = false;
    for (const batch of replay) {
      if (!isOpen) await log.append(opening(batch, written));
      isOpen = true;
      const last = batch.at(-1);
      if (last && capture.source === 'session_file') end.at = Date.parse(last.ts) * 1000;
      for (const { event } of batch) counts[event.type] = (counts[event.type] ?? 0) + 1;
      await log.append(batch);
    }
  });

  /** A record of logs that cannot be written, on a full disk, says at least what it was meant to be. */
  async function writeLogs(): Promise<WrittenLogs> {
    try {
      return await source.write({ auditFolder: run.folder.audit, attempt: run.attempt, now });
    } catch (error) {
      await log.append(opening([], { sources: [], damage: [] }));
      throw error;
    }
  }

  /** The first events. A session file's own times are in its events. */
  function opening(
    [first]: readonly RaspDraft[],
    { sources, damage }: Pick<WrittenLogs, 'sources' | 'damage'>,
  ): RaspDraft[] {
    if (first && capture.source === 'session_file') facts.startedAt = Date.parse(first.ts) * 1000;
    const ts = timestamp(facts.startedAt ?? now);
    // An engine that counts usage over its session goes on counting.
    const isSame = session?.run || (before && before.sessionId === request.session);
    const continued = isSame ? (run.record.session_id ?? null) : null;
    const requested = { ...requestedOf(run.record, { session: continued }), imported: sources };
    return [
      ...(said ? announcingDrafts(drafts, ts, said, requested) : [requestedDraft(drafts, ts, requested)]),
      statusDraft(drafts, ts, 'running', { phase: 'imported' }),
      ...damage.map((found) => warningDraft(drafts, ts, 'IMPORT_DAMAGED', { ...found })),
    ];
  }

  function keepDiff(diff: FsDiff): void {
    facts.diff = diff;
    writeDiff(diff, path.join(run.folder.audit, attemptFileNames(run.attempt).fsDiff)).close();
  }

  const finished = await attempt.finish(end);
  if (finished.error) throw finished.error;
  const bytes = facts.outputBytes + (before?.bytes ?? 0);
  const covered = coveredBytes(log, capture) + (before ? before.coverage * before.bytes : 0);
  return {
    ...finished,
    runId: run.folder.runId,
    runDir: run.folder.path,
    attempts: run.attempt,
    sessionId: log.endEvidence.sessionId ?? before?.sessionId ?? null,
    usage: totalUsage(log.usage),
    counts,
    coverage: bytes === 0 ? 1 : covered / bytes,
    bytes,
  };
}
