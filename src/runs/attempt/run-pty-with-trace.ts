import type { EngineProfile } from '../../engines/index.ts';
import type {
  CaptureMode,
  EndedByUs,
  RaspDraft,
  RecordingLevel,
  RunLimits,
  TachoError,
  TraceSummary,
} from '../../protocol/index.ts';
import { type Clock, type Recorder, type RunFolder, type TimingHeader, timestamp } from '../../recording/index.ts';
import { endPiped, Terminal, writePiped } from '../../terminal/index.ts';
import type { AttemptLog } from './attempt-log.ts';
import { AttemptTrace } from './attempt-trace.ts';
import { LiveRecord } from './live-record.ts';
import { terminalWarnings } from './terminal-end.ts';
import { isOverBudget, startWatchdogs } from './watchdogs.ts';

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
  trace: TraceSummary | null;
  digests: ReturnType<Recorder['digests']>;
}

/** Runs the command on its terminals and records it. */
export async function runPtyWithTrace(request: PtyRunRequest): Promise<PtyRunResult> {
  const { folder, attempt, engine, capture, level, header, clock, log, profile, secrets, limits } = request;
  const mode = capture === 'merged' ? 'merged' : 'split';
  let endedByUs: EndedByUs | null = null;

  const record = new LiveRecord({
    folder,
    attempt,
    engine,
    mode,
    level,
    header,
    clock,
    log,
    profile,
    secrets,
    limits,
    onRecorded(drafts) {
      enforceLimits(drafts);
      trace?.recorded();
      request.onRecorded();
    },
    onFailure: ({ code }) => end(code === 'DISK_FULL' ? 'disk_full' : 'recording_failed'),
    pause: () => terminal.pause(),
    resume: () => terminal.resume(),
  });
  const trace =
    capture === 'trace'
      ? await AttemptTrace.open({
          folder,
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
    mode,
    cols: header.cols,
    rows: header.rows,
    echo: request.echo,
    marker: request.marker,
    lingerMs: limits.lingerMs,
    killGraceMs: limits.killGraceMs,
    exclusive: request.exclusive,
    onOutput: (side, bytes) => record.output(side, bytes),
    ...(trace ? { spare: () => trace.tracerPid() } : {}),
  });
  trace?.attach(terminal);
  const callOff = startWatchdogs({
    timeoutMs: limits.timeoutMs,
    noProgressMs: limits.noProgressMs,
    silentFor: () => (clock.now() - record.lastProgress) / 1000,
    end,
  });
  let ended = false;
  try {
    request.onStarted({
      pid: terminal.pid,
      terminal,
      write: (bytes) => {
        record.input(bytes);
        return terminal.write(bytes);
      },
      feed: (bytes) => {
        record.input(bytes);
        return writePiped(terminal, bytes);
      },
      endFeed: () => endPiped(terminal),
      resize: (cols, rows) => {
        terminal.resize(cols, rows);
        record.resize(cols, rows);
      },
      cancel: () => end('canceled'),
    });
    const exit = await terminal.ended;
    ended = true;
    const endedAt = clock.now();
    await record.end({ exit_code: exit.exitCode, signal: exit.signal, time: endedAt / 1000 });
    const summary = trace ? await trace.finish(record.outputBytes) : null;
    await record.seal(terminalWarnings({ attempt, engine }, timestamp(clock.now()), exit, summary));
    return {
      exit_code: exit.exitCode,
      signal: exit.signal,
      endedByUs,
      error: record.failure,
      startedAt,
      endedAt,
      drained: exit.drained,
      outputProcessingRestored: exit.outputProcessingRestored,
      leftBehind: exit.leftBehind,
      outputBytes: record.outputBytes,
      trace: summary,
      digests: record.digests(),
    };
  } finally {
    callOff();
    // Whatever went wrong here, no program runs on unrecorded.
    if (!ended) await terminal.kill(0).then(() => terminal.ended.catch(() => null));
    record.close();
    trace?.close();
  }

  function enforceLimits(drafts: readonly RaspDraft[]): void {
    if (endedByUs !== null) return;
    if (limits.outputBytes !== null && record.outputBytes > limits.outputBytes) end('output_cap');
    else if (isOverBudget(drafts, limits.budget)) end('budget');
  }

  function end(reason: EndedByUs): void {
    const again = endedByUs !== null;
    endedByUs ??= reason;
    void terminal.kill(again ? 0 : limits.killGraceMs);
  }
}
