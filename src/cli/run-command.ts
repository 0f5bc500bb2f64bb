import os from 'node:os';
import path from 'node:path';
import { type ConfigSettings, parseDuration } from '../config/index.ts';
import { type CaptureMode, captureModeSchema, recordingLevelSchema, TachoError } from '../protocol/index.ts';
import { type RunContext, type RunOutcome, type RunRequest, recoverLostRuns, supervise } from '../runs/index.ts';
import { openContext } from './context.ts';
import { formatDuration } from './format.ts';
import { LiveConsole } from './live-console.ts';
import { paint } from './paint.ts';
import { describeRecovery } from './recover-runs.ts';
import type { RunOptions } from './run.ts';

interface RunInvocation {
  /** Words that are neither options nor behind the dashes. */
  beforeDashes: readonly string[];
  command: readonly string[];
  options: RunOptions;
}

/** `tacho run`: the exit code is the recorded command's. */
export async function runCommand({ beforeDashes, command, options }: RunInvocation): Promise<number> {
  checkUsage(beforeDashes, options, command);
  const cwd = options.cwd === undefined ? null : path.resolve(options.cwd);
  const context = openContext(options, { workspaceRoot: cwd ?? process.cwd(), settings: settingsOf(options) });
  process.stderr.write(describeRecovery(await recoverLostRuns(context)));
  const screen = new LiveConsole();
  const { capture, reason } = chooseCapture(options, command, context, screen);
  const request: RunRequest = {
    engine: 'text',
    command,
    cwd,
    runSelector: options.runDir ?? null,
    ...environmentOf(options.env ?? []),
    capture,
    captureReason: reason,
    keepTrace: options.keepTrace ?? false,
    cols: screen.cols ?? context.config.terminal.cols,
    rows: screen.rows ?? context.config.terminal.rows,
    interactive: screen.interactive,
    exclusive: true,
  };
  try {
    const outcome = await supervise(request, context, screen.watch(capture === 'merged'));
    await screen.finish();
    report(outcome, options.json ?? false, screen);
    return exitCodeOf(outcome);
  } finally {
    screen.restore();
  }
}

function checkUsage(beforeDashes: readonly string[], options: RunOptions, command: readonly string[]): void {
  if (beforeDashes.length > 0) {
    const line = [...beforeDashes, ...command].join(' ');
    throw usage(`"${beforeDashes[0]}" is no option`, `Put -- before the command: tacho run -- ${line}`);
  }
  if (command.length === 0) throw usage('nothing to run', 'Put the command after --, e.g.: tacho run -- npm test');
  if ((options.translate ?? '0') !== '0')
    throw usage(`--translate ${options.translate} is not known`, 'Use --translate 0.');
  if (options.keepTrace && options.capture !== 'trace') {
    throw usage('--keep-trace needs a trace to keep', 'Add --capture trace.');
  }
}

function usage(message: string, fix: string): TachoError {
  return new TachoError('USAGE', message, { fix });
}

function settingsOf(options: RunOptions): ConfigSettings {
  const level = options.level === undefined ? undefined : recordingLevelSchema.safeParse(options.level);
  if (level && !level.success) throw usage(`--level ${options.level} is not known`, 'Use full, standard or minimal.');
  return {
    recording: { level: level?.data },
    limits: {
      timeout_ms: durationOf('--timeout', options.timeout),
      no_progress_timeout_ms: durationOf('--no-progress-timeout', options.noProgressTimeout),
    },
  } as ConfigSettings;
}

/** A bare number means seconds, as it does for timeout(1). */
function durationOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  try {
    const duration = parseDuration(/^\d+(\.\d+)?$/.test(text) ? `${text}s` : text);
    if (duration > 0) return duration;
  } catch (cause) {
    throw new TachoError('USAGE', `${flag} ${text}: ${(cause as Error).message}`, {
      cause,
      fix: 'Examples: 90s, 10m, 1h30m.',
    });
  }
  throw usage(`${flag} ${text}: must be more than nothing`, 'Examples: 90s, 10m, 1h30m.');
}

/** `NAME=value` sets, `NAME` passes on what is set here. */
function environmentOf(entries: readonly string[]): { env: Record<string, string>; passEnv: string[] } {
  const env: Record<string, string> = {};
  const passEnv: string[] = [];
  for (const entry of entries) {
    const equals = entry.indexOf('=');
    const name = equals < 0 ? entry : entry.slice(0, equals);
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      throw usage(`--env ${name}: not a name for a variable`, 'Use --env NAME=value, or --env NAME to pass it on.');
    }
    if (equals >= 0) env[name] = entry.slice(equals + 1);
    else if (process.env[name] === undefined) throw usage(`--env ${name}: not set here`, `Use --env ${name}=value.`);
    else passEnv.push(name);
  }
  return { env, passEnv };
}

/** A shell that a person types into takes its job control from fd 2, so it needs both streams on one terminal. */
function chooseCapture(
  options: RunOptions,
  command: readonly string[],
  context: RunContext,
  screen: LiveConsole,
): { capture: CaptureMode; reason: string } {
  if (options.capture !== undefined) {
    const mode = captureModeSchema.safeParse(options.capture);
    if (!mode.success) throw usage(`--capture ${options.capture} is not known`, 'Use split, trace or merged.');
    return { capture: mode.data, reason: 'asked for on the command line' };
  }
  const shell = /^(ba|z|da|k|fi)?sh$/.test(path.basename(command[0]!));
  if (screen.interactive && shell && command.slice(1).every((word) => word.startsWith('-') && word !== '-c')) {
    return { capture: 'merged', reason: 'an interactive shell on a terminal' };
  }
  return { capture: context.config.recording.capture, reason: 'configuration' };
}

function report(outcome: RunOutcome, json: boolean, screen: LiveConsole): void {
  if (json) {
    screen.startLine();
    const { runId, runDir, attempt, exit_code, signal, status, completion, error } = outcome;
    const answer = {
      run_id: runId,
      run_dir: runDir,
      attempt,
      status,
      exit_code,
      signal,
      completion,
      error: error && { code: error.code, message: error.message, fix: error.fix ?? null },
    };
    process.stdout.write(`${JSON.stringify(answer)}\n`);
    return;
  }
  const handle = outcome.runId.slice(-8);
  const sign = outcome.status === 'succeeded' ? paint.green('✔') : paint.red('✖');
  const how = outcome.signal ? `killed by ${outcome.signal}` : `exit ${outcome.exit_code ?? '–'}`;
  const facts = [outcome.status, how, formatDuration(outcome.durationMs), reasonOf(outcome)]
    .filter(Boolean)
    .join(' · ');
  // A file or pipe gets exactly what the program printed.
  if (process.stdout.isTTY) screen.startLine();
  process.stderr.write(`${sign} ${facts} ${paint.dim(`· tacho show ${handle}`)}\n`);
  if (outcome.error) {
    process.stderr.write(`  ${paint.red(outcome.error.message)} ${paint.dim(`[${outcome.error.code}]`)}\n`);
    if (outcome.error.fix) process.stderr.write(`  ${outcome.error.fix}\n`);
  }
}

function reasonOf({ completion }: RunOutcome): string {
  return ['EXIT_ZERO', 'EXIT_NONZERO', 'SIGNALED'].includes(completion.reason_code) ? '' : completion.reason_code;
}

/** 0 succeeded, the command's own code on failure (1 if that was 0), 10 waiting for a user, 130 canceled. */
function exitCodeOf({ status, exit_code, signal }: RunOutcome): number {
  if (status === 'succeeded') return 0;
  if (status === 'canceled') return 130;
  if (status === 'waiting_user') return 10;
  if (signal !== null) return 128 + (os.constants.signals[signal as NodeJS.Signals] ?? 0);
  return exit_code || 1;
}
