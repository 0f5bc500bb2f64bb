import os from 'node:os';
import type { RunOutcome } from '../../runs/index.ts';
import { formatDuration } from '../output/format.ts';
import { paint } from '../output/paint.ts';

/** The `--json` output of an attempt. */
export function outcomeAnswer(outcome: RunOutcome): object {
  const { runId, runDir, attempt, exit_code, signal, status, completion, error, engine } = outcome;
  return {
    run_id: runId,
    run_dir: runDir,
    attempt,
    status,
    exit_code,
    signal,
    completion,
    error: error && { code: error.code, message: error.message, fix: error.fix ?? null },
    ...(engine === 'text'
      ? {}
      : {
          engine,
          session_id: outcome.sessionId,
          model: outcome.model,
          usage: outcome.usage,
          question: outcome.question?.prompt ?? null,
          ...(outcome.question?.questions ? { questions: outcome.question.questions } : {}),
        }),
  };
}

/** The closing line for users; on stderr, because stdout carries the program's output. */
export function describeOutcome(outcome: RunOutcome): string {
  const handle = outcome.runId.slice(-8);
  const sign =
    { succeeded: paint.green('✔'), waiting_user: paint.cyan('?') }[outcome.status as string] ?? paint.red('✖');
  const how = outcome.signal ? `killed by ${outcome.signal}` : `exit ${outcome.exit_code ?? '–'}`;
  const facts = [outcome.status, how, formatDuration(outcome.durationMs), reasonOf(outcome)]
    .filter(Boolean)
    .join(' · ');
  return `${sign} ${facts} ${paint.dim(`· tacho show ${handle}`)}\n${describeError(outcome)}`;
}

/** An error of the recording itself. */
export function describeError({ error }: RunOutcome): string {
  if (!error) return '';
  const line = `  ${paint.red(error.message)} ${paint.dim(`[${error.code}]`)}\n`;
  return error.fix ? `${line}  ${error.fix}\n` : line;
}

function reasonOf({ completion }: RunOutcome): string {
  const usual = ['EXIT_ZERO', 'EXIT_NONZERO', 'SIGNALED', 'TERMINAL_SIGNAL', 'DONE_MARKER'];
  return usual.includes(completion.reason_code) ? '' : completion.reason_code;
}

/** 0 succeeded, the command's own code on failure (1 if that was 0), 10 waiting for a user, 130 canceled. */
export function exitCodeOf({ status, exit_code, signal }: RunOutcome): number {
  if (status === 'succeeded') return 0;
  if (status === 'canceled') return 130;
  if (status === 'waiting_user') return 10;
  if (signal !== null) return 128 + (os.constants.signals[signal as NodeJS.Signals] ?? 0);
  return exit_code || 1;
}
