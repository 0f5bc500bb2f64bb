import type { FcmpMessage } from '../../protocol/index.ts';
import type { RunOutcome } from '../../runs/index.ts';
import { describeError, describeOutcome, exitCodeOf, outcomeAnswer, questionOf } from './run-report.ts';

/** Where the program's output goes: with --json to stderr, because stdout is for the answer alone. */
export type Output = 'stdout' | 'stderr';

/** A run that is carried out somewhere, here or by the server, and shown here. */
export interface ShownRun {
  /** To its end, or to the question it waits with; what the program prints is passed through where `output` says. */
  carryOut(show: { output: Output | null; conversed(messages: readonly FcmpMessage[]): void }): Promise<RunOutcome>;
  /** What we print next after the program's output starts a line of its own. */
  startLine(): void;
  /** Gives the terminal back as it was. */
  restore(): void;
}

/** Shows a run as asked: all ways write the same files. The exit code of the command. */
export async function showRun(
  run: ShownRun,
  { translate, json, quiet }: { translate: 0 | 1 | 2 | 3; json: boolean; quiet: boolean },
): Promise<number> {
  // An answer as JSON is for programs: a chat in front of it would be in their way.
  const way = json && translate === 3 ? null : translate;
  const messages: FcmpMessage[] = [];
  const chat = way === 3 ? (await import('../chat/open-chat.ts')).openChat() : null;
  // Lines about what is being done move on while nothing new is said.
  const ticking = chat && process.stdout.isTTY ? setInterval(() => chat.tick(Date.now()), 100) : undefined;
  try {
    const outcome = await run.carryOut({
      output: way !== 0 ? null : json ? 'stderr' : 'stdout',
      conversed(more) {
        if (way === 1 || way === 2) messages.push(...more);
        chat?.show(more);
      },
    });
    clearInterval(ticking);
    const summary = way === 1 && (await import('../chat/summary.ts')).parsedSummary(messages, summaryOf(outcome));
    if (!json && way === 1) print(summary);
    if (!json && way === 2) print(messages);
    chat?.finish({ ...summaryOf(outcome), handle: outcome.runId.slice(-8), question: questionOf(outcome) });
    if (json) {
      if (process.stdout.isTTY) run.startLine();
      const translated = way === 1 ? { summary } : way === 2 ? { conversation: messages } : {};
      process.stdout.write(`${JSON.stringify({ ...outcomeAnswer(outcome), ...translated })}\n`);
    } else if (chat || quiet) {
      process.stderr.write(describeError(outcome));
    } else {
      // A file or pipe gets exactly what the program printed.
      if (process.stdout.isTTY) run.startLine();
      process.stderr.write(describeOutcome(outcome));
    }
    return exitCodeOf(outcome);
  } finally {
    clearInterval(ticking);
    run.restore();
  }
}

function summaryOf(outcome: RunOutcome) {
  return {
    engine: outcome.engine,
    status: outcome.status,
    reason_code: outcome.completion.reason_code,
    durationMs: outcome.durationMs,
    model: outcome.model,
    session_id: outcome.sessionId,
    usage: outcome.usage,
  };
}

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}
