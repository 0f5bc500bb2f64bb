import type { FcmpMessage, SettledRequest } from '../../protocol/index.ts';
import { type AttemptOrder, type RunContext, type RunOutcome, type RunWatcher, supervise } from '../../runs/index.ts';
import { openChat } from '../chat/open-chat.ts';
import { parsedSummary } from '../chat/summary.ts';
import type { LiveConsole } from './live-console.ts';
import { describeError, describeOutcome, exitCodeOf, outcomeAnswer, questionOf } from './run-report.ts';

interface ShowOptions {
  translate: 0 | 1 | 2 | 3;
  json: boolean;
  /** Made before the request, because the request depends on what kind of terminal this is. */
  screen: LiveConsole;
}

/** Runs one attempt and shows it as asked: all ways write the same files. The exit code of the command. */
export async function showAttempt(
  { request, order }: { request: SettledRequest; order: AttemptOrder },
  context: RunContext,
  options: ShowOptions,
): Promise<number> {
  const { translate, screen } = options;
  // An answer as JSON is for programs: a chat in front of it would be in their way.
  const way = options.json && translate === 3 ? null : translate;
  const messages: FcmpMessage[] = [];
  const chat = way === 3 ? openChat() : null;
  // Lines about what is being done move on while nothing new is said.
  const ticking = chat && process.stdout.isTTY ? setInterval(() => chat.tick(Date.now()), 100) : undefined;
  const watcher: RunWatcher = {
    ...screen.watch({ merged: request.capture === 'merged', shown: way === 0 }),
    conversed(more) {
      if (way === 1 || way === 2) messages.push(...more);
      chat?.show(more);
    },
  };
  try {
    const outcome = await supervise({ request, order }, context, watcher);
    await screen.finish();
    clearInterval(ticking);
    if (way === 1) print(parsedSummary(messages, summaryOf(outcome)));
    if (way === 2) print(messages);
    chat?.finish({ ...summaryOf(outcome), handle: outcome.runId.slice(-8), question: questionOf(outcome) });
    if (options.json) {
      screen.startLine();
      process.stdout.write(`${JSON.stringify(outcomeAnswer(outcome))}\n`);
    } else if (chat) {
      process.stderr.write(describeError(outcome));
    } else {
      // A file or pipe gets exactly what the program printed.
      if (process.stdout.isTTY) screen.startLine();
      process.stderr.write(describeOutcome(outcome));
    }
    return exitCodeOf(outcome);
  } finally {
    clearInterval(ticking);
    screen.restore();
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
