import os from 'node:os';
import { type EngineProfile, findEngine } from '../../engines/index.ts';
import { runModeSchema } from '../../protocol/index.ts';
import {
  engineNames,
  type ImportOutcome,
  importRun,
  type OpenedImport,
  openLog,
  openOutput,
  openTerminal,
  type RunContext,
  requireEngine,
} from '../../runs/index.ts';
import type { ImportOptions } from '../commands/records.ts';
import { openContext } from '../context.ts';
import { count, formatBytes } from '../output/format.ts';
import { paint } from '../output/paint.ts';
import { usage } from '../run/record-options.ts';

type Words = readonly (string | undefined)[];

/** `tacho import`: exits with 0 when the logs became a run, whatever that run's own result. */
export async function importLogs(words: Words, options: ImportOptions): Promise<void> {
  const context = openContext(options);
  const mode = runModeSchema.safeParse(options.mode ?? 'auto');
  if (!mode.success) throw usage(`--mode ${options.mode} is not known`, 'Use auto or interactive.');
  const exit = exitOf(options);
  const given = givenBy(words, options, context);
  const opened = open(given, options, exit !== null);
  const outcome = await importRun(
    {
      ...opened,
      exit,
      mode: mode.data,
      requireMarker: options.requireMarker ?? false,
      files: filesOf(words, options),
    },
    context,
  );
  const found = given.file === null ? null : opened.format;
  process.stdout.write(options.json ? `${JSON.stringify(answerOf(outcome, opened))}\n` : describe(outcome, found));
}

function open({ engine, file }: Given, options: ImportOptions, isExitKnown: boolean): OpenedImport {
  const { stdout = null, stderr = null, pty = null, stdin = null, timing = null } = options;
  const isSplit = stdout !== null || stderr !== null;
  if ([file, stdout, stderr, pty, stdin, timing].filter((name) => name === '-').length > 1) {
    throw usage('only one log can come from standard input', 'Give files for the others.');
  }
  if (file !== null) {
    if (isSplit || pty !== null)
      throw usage(`both ${file} and a stream were given`, 'Give a file, or --stdout, --stderr and --pty.');
    return openLog(file, engine, { timing, stdin });
  }
  if (!isSplit && pty === null)
    throw usage('no log was given', 'Give a file, or at least one of --stdout, --stderr and --pty.');
  if (engine === null)
    throw usage('no engine was given', 'Name the engine, or text; or give a file alone, to find its format.');
  if (timing !== null || stdin !== null) {
    if (isSplit || pty === null) throw usage('--timing and --stdin belong to a terminal', 'Use them with --pty alone.');
    return openTerminal(pty, engine, { timing, stdin });
  }
  if (!isExitKnown) {
    throw usage('how it ended is missing', 'Add --exit-code or --signal, so that tacho can decide whether it worked.');
  }
  return openOutput({ stdout, stderr, pty }, engine);
}

/** One word is an engine, or a file where no stream was given. */
function givenBy([first, second]: Words, { stdout, stderr, pty }: ImportOptions, context: RunContext): Given {
  const hasStreams = [stdout, stderr, pty].some((name) => name !== undefined);
  if (first === undefined) return { engine: null, file: null };
  if (second !== undefined || hasStreams) return { engine: engineNamed(first, context), file: second ?? null };
  if (first === 'text' || engineNames(context).includes(first))
    throw usage(`what ${first} printed is missing`, 'Give a file, or at least one of --stdout, --stderr and --pty.');
  return { engine: null, file: first };
}

interface Given {
  engine: EngineProfile | null;
  file: string | null;
}

function engineNamed(name: string, context: RunContext): EngineProfile {
  return name === 'text' ? findEngine('text')! : requireEngine(name, context);
}

function filesOf([first, second]: Words, { stdout, stderr, pty, stdin, timing }: ImportOptions): string[] {
  const isFile = second === undefined && [stdout, stderr, pty].every((name) => name === undefined);
  return [isFile ? first : second, stdout, stderr, pty, stdin, timing].filter((name) => name !== undefined);
}

function exitOf({ exitCode, signal }: ImportOptions): { exit_code: number | null; signal: string | null } | null {
  if (signal !== undefined) {
    if (!Object.hasOwn(os.constants.signals, signal)) throw usage(`unknown signal "${signal}"`, 'E.g. SIGTERM.');
    return { exit_code: null, signal };
  }
  if (exitCode === undefined) return null;
  if (!/^\d{1,3}$/.test(exitCode) || Number(exitCode) > 255) {
    throw usage(`--exit-code must be a number from 0 to 255, got "${exitCode}"`, 'For example: --exit-code 1');
  }
  return { exit_code: Number(exitCode), signal: null };
}

function answerOf(outcome: ImportOutcome, { profile, format }: OpenedImport): object {
  const { runId, runDir, sessionId, status, completion, counts, coverage, bytes, usage: used } = outcome;
  return {
    run_id: runId,
    run_dir: runDir,
    engine: profile.name,
    format,
    session_id: sessionId,
    status,
    completion,
    events: counts,
    coverage,
    bytes,
    usage: used,
  };
}

function describe(outcome: ImportOutcome, format: string | null): string {
  const { runId, sessionId, completion, counts, coverage, bytes } = outcome;
  const sign = completion.state === 'completed' ? paint.green('✔') : paint.red('✖');
  const events = Object.values(counts).reduce((sum, number) => sum + number, 0);
  const share = `${(coverage * 100).toFixed(coverage === 1 ? 0 : 2)} % of ${formatBytes(bytes)}`;
  const lines = [
    `${sign} ${completion.state} · ${completion.reason_code} · ${count(events, 'event')} from ${share}`,
    ...(format === null ? [] : [`  format    ${format}`]),
    ...(completion.state === 'unknown' ? ['  exit      not known; add --exit-code or --signal'] : []),
    ...(sessionId === null ? [] : [`  session   ${sessionId}`]),
    `  run       ${runId}  ${paint.dim(`· tacho show ${runId.slice(-8)}`)}`,
  ];
  return `${lines.join('\n')}\n`;
}
