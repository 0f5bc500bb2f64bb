import path from 'node:path';
import type { EngineProfile } from '../engines/index.ts';
import {
  attemptFileNames,
  type CaptureMode,
  type EndedByUs,
  type OutputStream,
  type RaspDraft,
  type RecordingLevel,
  type Redactions,
  type RunLimits,
  type TachoError,
  type TraceSummary,
} from '../protocol/index.ts';
import { type Clock, Recorder, type RunFolder, type TimingHeader, timestamp, writeWhole } from '../recording/index.ts';
import { endPiped, Terminal, writePiped } from '../terminal/index.ts';
import type { AttemptLog } from './attempt-log.ts';
import { AttemptTrace } from './attempt-trace.ts';
import { checkpointDraft, type DraftContext, warningDraft } from './drafts.ts';
import { ParseDriver } from './parse-driver.ts';
import { SecretMask } from './secret-mask.ts';
import { isOnlyRetry, isOverBudget, startWatchdogs } from './watchdogs.ts';

export interface PtyRunRequest {
  folder: RunFolder;
  attempt: number;
  engine: string;
  argv: readonly string[];
  cwd: string;
  env: Record<string, string>;
  secrets: readonly { name: string; value: string }[];
  hideSecrets(text: string): string;
  marker: string;
  capture: CaptureMode;
  keepTrace: boolean;
  level: RecordingLevel;
  header: TimingHeader;
  echo: boolean;
  exclusive: boolean;
  clock: Clock;
  log: AttemptLog;
  profile: EngineProfile;
  limits: {
    timeoutMs: number | null;
    noProgressMs: number | null;
    killGraceMs: number;
    lingerMs: number;
    checkpointBytes: number;
    checkpointMs: number;
    /** More output than this ends the attempt. */
    outputBytes: number | null;
    /** More than this, as the engine tells it, ends the attempt. */
    budget: Pick<RunLimits, 'total_tokens' | 'cost_usd'>;
  };
  onStarted(control: TerminalControl): void;
  /** New bytes are in the files. */
  onRecorded(): void;
}

/** What a person or another program can do to a live attempt. */
export interface TerminalControl {
  pid: number;
  terminal: Pick<Terminal, 'expectsNewlineTranslation'>;
  /** Types bytes into the program's terminal, and records them. */
  write(bytes: Buffer): Promise<void>;
  /** Hands over bytes from a file or pipe, so that the program reads exactly them; and their end. */
  feed(bytes: Buffer): Promise<void>;
  endFeed(): Promise<void>;
  resize(cols: number, rows: number): void;
  /** Ends the attempt: SIGTERM, the grace, SIGKILL; a second call skips the grace. */
  cancel(): void;
}

export interface PtyRunResult {
  exit_code: number | null;
  signal: string | null;
  endedByUs: EndedByUs | null;
  error: TachoError | null;
  startedAt: number;
  endedAt: number;
  drained: boolean;
  outputProcessingRestored: boolean;
  leftBehind: number;
  outputBytes: number;
  unrecordedBytes: number;
  trace: TraceSummary | null;
  digests: ReturnType<Recorder['digests']>;
}

/** More drafts than this waiting for the journal, and the program has to wait too. */
const BACKLOG_LIMIT = 4096;
const TICK_MS = 50;

/** Runs the command on its terminals and records it: bytes to files, then events about them to the journal. */
export async function runPtyWithTrace(request: PtyRunRequest): Promise<PtyRunResult> {
  const { clock, log, limits, attempt, engine } = request;
  const context: DraftContext = { attempt, engine };
  const mask = new SecretMask(request.secrets);
  let endedByUs: EndedByUs | null = null;
  let failure: TachoError | null = null;
  let checkpointedBytes = 0;
  let checkpointedAt = clock.now();
  let outputBytes = 0;
  let keptRedactions = 0;
  let lastProgress = clock.now();

  const recorder = new Recorder({
    auditFolder: request.folder.audit,
    attempt,
    mode: request.capture === 'merged' ? 'merged' : 'split',
    level: request.level,
    clock,
    header: request.header,
    onFailure: fail,
    onRecorded(chunks) {
      const drafts: RaspDraft[] = [];
      for (const { stream, bytes, time } of chunks) {
        outputBytes += bytes.length;
        const born = driver.push(stream, bytes, time);
        if (!isOnlyRetry(born)) lastProgress = time;
        append(drafts, born);
      }
      keepRedactions();
      if (outputBytes - checkpointedBytes >= limits.checkpointBytes) append(drafts, checkpoint());
      keep(drafts);
      enforceLimits(drafts);
      trace?.recorded();
      request.onRecorded();
    },
  });
  const driver = new ParseDriver(request.profile.parser.create({ attempt, engine, origin: origins(recorder) }), mask);
  const trace =
    request.capture === 'trace'
      ? await AttemptTrace.open({
          folder: request.folder,
          attempt,
          temporary: request.env.TMPDIR!,
          keep: request.keepTrace,
          hideSecrets: request.hideSecrets,
        })
      : null;

  const startedAt = clock.now();
  const terminal = Terminal.start({
    argv: trace ? trace.argv(request.argv) : request.argv,
    cwd: request.cwd,
    env: request.env,
    mode: request.capture === 'merged' ? 'merged' : 'split',
    cols: request.header.cols,
    rows: request.header.rows,
    echo: request.echo,
    marker: request.marker,
    lingerMs: limits.lingerMs,
    killGraceMs: limits.killGraceMs,
    exclusive: request.exclusive,
    onOutput: (side, bytes) => recorder.output(side, bytes),
    ...(trace ? { spare: () => trace.tracerPid() } : {}),
  });
  trace?.attach(terminal);
  const callOff = startWatchdogs({
    timeoutMs: limits.timeoutMs,
    noProgressMs: limits.noProgressMs,
    silentFor: () => (clock.now() - lastProgress) / 1000,
    end,
  });
  const ticking = setInterval(() => {
    // The parser must not be told of a time before it has seen the bytes that were read by then.
    recorder.flush();
    const drafts = driver.tick(clock.now());
    if (clock.now() - checkpointedAt >= limits.checkpointMs * 1000) append(drafts, checkpoint());
    keep(drafts);
  }, TICK_MS);
  let ended = false;
  try {
    request.onStarted({
      pid: terminal.pid,
      terminal,
      write: (bytes) => {
        recorder.input(bytes);
        return terminal.write(bytes);
      },
      feed: (bytes) => {
        recorder.input(bytes);
        return writePiped(terminal, bytes);
      },
      endFeed: () => endPiped(terminal),
      resize: (cols, rows) => {
        terminal.resize(cols, rows);
        recorder.resize(cols, rows);
      },
      cancel: () => end('canceled'),
    });
    const exit = await terminal.ended;
    ended = true;
    const endedAt = clock.now();
    recorder.flush();
    await log.append(driver.end({ exit_code: exit.exitCode, signal: exit.signal, time: endedAt / 1000 })).catch(fail);
    const summary = trace ? await trace.finish(outputBytes) : null;
    const warnings = terminalWarnings(exit, summary);
    if (!failure) await log.append([...checkpoint(), ...warnings]).catch(fail);
    return {
      exit_code: exit.exitCode,
      signal: exit.signal,
      endedByUs,
      error: failure,
      startedAt,
      endedAt,
      drained: exit.drained,
      outputProcessingRestored: exit.outputProcessingRestored,
      leftBehind: exit.leftBehind,
      outputBytes,
      unrecordedBytes: recorder.unrecordedBytes,
      trace: summary,
      digests: recorder.digests(),
    };
  } finally {
    callOff();
    clearInterval(ticking);
    // Whatever went wrong here, no program runs on unrecorded.
    if (!ended) await terminal.kill(0).then(() => terminal.ended.catch(() => null));
    recorder.close();
    trace?.close();
  }

  function enforceLimits(drafts: readonly RaspDraft[]): void {
    if (endedByUs !== null) return;
    if (limits.outputBytes !== null && outputBytes > limits.outputBytes) end('output_cap');
    else if (isOverBudget(drafts, limits.budget)) end('budget');
  }

  /** Before the events that were made from the masked bytes: whoever reads the files again must know what to mask. */
  function keepRedactions(): void {
    if (mask.ranges.length === keptRedactions) return;
    keptRedactions = mask.ranges.length;
    const content: Redactions = { format: 'tacho-redactions/1', ranges: mask.ranges };
    const file = path.join(request.folder.audit, attemptFileNames(attempt).redactions);
    writeWhole(file, `${JSON.stringify(content)}\n`, { replace: true, durable: false });
  }

  function end(reason: EndedByUs): void {
    const again = endedByUs !== null;
    endedByUs ??= reason;
    void terminal.kill(again ? 0 : limits.killGraceMs);
  }

  /** Without a record there is no point in going on: the tree is ended and the reason kept. */
  function fail(error: unknown): void {
    if (failure) return;
    failure = error as TachoError;
    end(failure.code === 'DISK_FULL' ? 'disk_full' : 'recording_failed');
  }

  function keep(drafts: readonly RaspDraft[]): void {
    if (drafts.length === 0 || failure) return;
    const kept = log.append(drafts);
    kept.catch(fail);
    if (log.backlog > BACKLOG_LIMIT) {
      terminal.pause();
      void kept.finally(() => terminal.resume()).catch(() => {});
    }
  }

  function checkpoint(): RaspDraft[] {
    checkpointedBytes = outputBytes;
    checkpointedAt = clock.now();
    const ts = timestamp(checkpointedAt);
    return recorder.checkpoint().map((stream) => checkpointDraft(context, ts, stream));
  }

  function terminalWarnings(exit: Awaited<Terminal['ended']>, summary: TraceSummary | null): RaspDraft[] {
    const ts = timestamp(clock.now());
    const warnings: RaspDraft[] = [];
    if (!exit.drained) warnings.push(warningDraft(context, ts, 'DRAIN_DEADLINE'));
    if (exit.outputProcessingRestored) warnings.push(warningDraft(context, ts, 'OUTPUT_PROCESSING_RESTORED'));
    if (exit.leftBehind > 0) {
      warnings.push(warningDraft(context, ts, 'PROCESSES_LEFT_BEHIND', { processes: exit.leftBehind }));
    }
    if (summary && summary.coverage < 1) {
      warnings.push(warningDraft(context, ts, 'TRACE_INCOMPLETE', { coverage: summary.coverage }));
    }
    return warnings;
  }
}

/** The merged log starts with a header line, so its first output byte is not byte 0. */
function origins(recorder: Recorder): Partial<Record<OutputStream, number>> {
  return { pty: recorder.size('pty') ?? 0 };
}

function append(drafts: RaspDraft[], more: readonly RaspDraft[]): void {
  for (const draft of more) drafts.push(draft);
}
