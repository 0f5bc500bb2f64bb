import os from 'node:os';
import { findEngine } from '../../engines/index.ts';
import { runModeSchema } from '../../protocol/index.ts';
import { type ImportOutcome, importRun, requireEngine } from '../../runs/index.ts';
import type { ImportOptions } from '../commands/records.ts';
import { openContext } from '../context.ts';
import { count, formatBytes } from '../output/format.ts';
import { paint } from '../output/paint.ts';
import { usage } from '../run/record-options.ts';

/** `tacho import`: exits with 0 when the logs became a run, whatever that run's own result. */
export async function importLogs(engine: string, options: ImportOptions): Promise<void> {
  const context = openContext(options);
  const profile = engine === 'text' ? findEngine('text')! : requireEngine(engine, context);
  const { stdout = null, stderr = null, pty = null } = options;
  if (stdout === null && stderr === null && pty === null) {
    throw usage('no log was given', 'Give at least one of --stdout, --stderr and --pty.');
  }
  if ([stdout, stderr, pty].filter((file) => file === '-').length > 1) {
    throw usage('only one log can come from standard input', 'Give files for the others.');
  }
  const mode = runModeSchema.safeParse(options.mode ?? 'auto');
  if (!mode.success) throw usage(`--mode ${options.mode} is not known`, 'Use auto or interactive.');
  const outcome = await importRun(
    {
      profile,
      logs: { stdout, stderr, pty },
      ...exitOf(options),
      mode: mode.data,
      requireMarker: options.requireMarker ?? false,
    },
    context,
  );
  process.stdout.write(options.json ? `${JSON.stringify(answerOf(outcome))}\n` : describe(outcome));
}

function exitOf({ exitCode, signal }: ImportOptions): { exitCode: number | null; signal: string | null } {
  if (signal !== undefined) {
    if (!Object.hasOwn(os.constants.signals, signal)) throw usage(`unknown signal "${signal}"`, 'E.g. SIGTERM.');
    return { exitCode: null, signal };
  }
  if (exitCode === undefined) {
    throw usage('how it ended is missing', 'Add --exit-code or --signal, so that tacho can decide whether it worked.');
  }
  if (!/^\d{1,3}$/.test(exitCode) || Number(exitCode) > 255) {
    throw usage(`--exit-code must be a number from 0 to 255, got "${exitCode}"`, 'For example: --exit-code 1');
  }
  return { exitCode: Number(exitCode), signal: null };
}

function answerOf(outcome: ImportOutcome): object {
  const { runId, runDir, sessionId, status, completion, counts, coverage, bytes, usage: used } = outcome;
  return {
    run_id: runId,
    run_dir: runDir,
    session_id: sessionId,
    status,
    completion,
    events: counts,
    coverage,
    bytes,
    usage: used,
  };
}

function describe({ runId, sessionId, completion, counts, coverage, bytes }: ImportOutcome): string {
  const signs: Record<string, string> = { completed: paint.green('✔'), awaiting_user_input: paint.cyan('?') };
  const sign = signs[completion.state] ?? paint.red('✖');
  const events = Object.values(counts).reduce((sum, number) => sum + number, 0);
  const share = `${(coverage * 100).toFixed(coverage === 1 ? 0 : 2)} % of ${formatBytes(bytes)}`;
  const lines = [
    `${sign} ${completion.state} · ${completion.reason_code} · ${count(events, 'event')} from ${share}`,
    ...(sessionId === null ? [] : [`  session   ${sessionId}`]),
    `  run       ${runId}  ${paint.dim(`· tacho show ${runId.slice(-8)}`)}`,
  ];
  return `${lines.join('\n')}\n`;
}
