import { type ImportOutcome, importRun } from '../../runs/index.ts';
import type { ImportOptions } from '../commands/records.ts';
import { openContext } from '../context.ts';
import { count, formatBytes } from '../output/format.ts';
import { paint } from '../output/paint.ts';
import { type ChosenImport, chooseImport, type Words } from './chosen-import.ts';

/** `tacho import`: exits with 0 when the logs became a run, whatever that run's own result. */
export async function importLogs(words: Words, options: ImportOptions): Promise<void> {
  const context = openContext(options);
  const chosen = chooseImport(words, options, context);
  const outcome = await importRun(chosen.attempts, context);
  const answer = options.json ? `${JSON.stringify(answerOf(outcome, chosen))}\n` : describe(outcome, chosen);
  process.stdout.write(answer);
}

function answerOf(outcome: ImportOutcome, { attempts, format }: ChosenImport): object {
  const { runId, runDir, sessionId, status, completion, counts, coverage, bytes, usage: used } = outcome;
  return {
    run_id: runId,
    run_dir: runDir,
    engine: attempts[0].profile.name,
    format,
    attempts: outcome.attempts,
    session_id: sessionId,
    status,
    completion,
    events: counts,
    coverage,
    bytes,
    usage: used,
  };
}

function describe(outcome: ImportOutcome, { format, isFound }: ChosenImport): string {
  const { runId, sessionId, completion, counts, coverage, bytes, attempts } = outcome;
  const sign = completion.state === 'completed' ? paint.green('✔') : paint.red('✖');
  const events = Object.values(counts).reduce((sum, number) => sum + number, 0);
  const share = `${(coverage * 100).toFixed(coverage === 1 ? 0 : 2)} % of ${formatBytes(bytes)}`;
  const lines = [
    `${sign} ${completion.state} · ${completion.reason_code} · ${count(events, 'event')} from ${share}`,
    ...(isFound ? [`  format    ${format}`] : []),
    ...(attempts > 1 ? [`  attempts  ${attempts}`] : []),
    ...(completion.source === 'imported' ? ['  decided   elsewhere; no rule of tacho applies'] : []),
    ...(completion.state === 'unknown' ? ['  exit      not known; add --exit-code or --signal'] : []),
    ...(sessionId === null ? [] : [`  session   ${sessionId}`]),
    `  run       ${runId}  ${paint.dim(`· tacho show ${runId.slice(-8)}`)}`,
  ];
  return `${lines.join('\n')}\n`;
}
