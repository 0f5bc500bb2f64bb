import type { FcmpMessage } from '../../protocol/index.ts';
import type { RunOutcome } from '../../runs/index.ts';
import { describeError, describeOutcome, exitCodeOf, outcomeAnswer, questionOf } from './run-report.ts';

/** A run that is carried out somewhere, here or by the server, and shown here. */
export interface ShownRun {
  /** To its end, or to the question it waits with; with `output`, what the program prints is passed through. */
  carryOut(show: { output: boolean; conversed(messages: readonly FcmpMessage[]): void }): Promise<RunOutcome>;
  /** What we print on stdout next starts a line of its own. */
  startLine(): void;
  /** Gives the terminal back as it was. */
  restore(): void;
}

/** Shows a run as asked: all ways write the same files. The exit code of the command. */
export async function showRun(
  run: ShownRun,
  { translate, json }: { translate: 0 | 1 | 2 | 3; json: boolean },
): Promise<number> {
  // An answer as JSON is for programs: a chat in front of it would be in their way.
  const way = json && translate === 3 ? null : translate;
  const messages: FcmpMessage[] = [];
  const chat = way === 3 ? (await import('../chat/open-chat.ts')).openChat() : null;
  // Lines about what is being done move on while nothing new is said.
  const ticking = chat && process.stdout.isTTY ? setInterval(() => chat.tick(Date.now()), 100) : undefined;
  try {
    const outcome = await run.carryOut({
      output: way === 0,
      conversed(more) {
        if (way === 1 || way === 2) messages.push(...more);
        chat?.show(more);
      },
    });
    clearInterval(ticking);
    if (way === 1) print((await import('../chat/summary.ts')).parsedSummary(messages, summaryOf(outcome)));
    if (way === 2) print(messages);
    chat?.finish({ ...summaryOf(outcome), handle: outcome.runId.slice(-8), question: questionOf(outcome) });
    if (json) {
      run.startLine();
      process.stdout.write(`${JSON.stringify(outcomeAnswer(outcome))}\n`);
    } else if (chat) {
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

function print(value: object): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}
