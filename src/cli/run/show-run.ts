import type { Decision, FcmpMessage } from '../../protocol/index.ts';
import type { RunOutcome } from '../../runs/index.ts';
import type { ChatView } from '../chat/chat-view.ts';
import type { TypedReply } from '../person/typed-reply.ts';
import { describeError, describeOutcome, exitCodeOf, outcomeAnswer } from './run-report.ts';

/** Destination of the program's output: stderr with --json, because stdout is for the answer alone. */
export type Output = 'stdout' | 'stderr';

interface Showing {
  output: Output | null;
  conversed(messages: readonly FcmpMessage[]): void;
}

/** A run recorded here or by the server, and shown here. */
export interface ShownRun {
  /** Runs to the end, or to the question it waits with; prints the program's output to `output`. */
  carryOut(show: Showing): Promise<RunOutcome>;
  /** Answers the question it waits with; returns the continued run, to be carried out next. */
  answer(outcome: RunOutcome, reply: TypedReply): Promise<ShownRun>;
  decide(approvalId: string, decision: Decision): Promise<void>;
  /** Starts our next text after the program's output on a new line. */
  startLine(): void;
  /** Restores the terminal. */
  restore(): void;
}

/** Shows a run as requested; the view does not affect the recorded files. Returns the exit code. */
export async function showRun(
  run: ShownRun,
  { translate, json, quiet }: { translate: 0 | 1 | 2 | 3; json: boolean; quiet: boolean },
): Promise<number> {
  // JSON output is for programs, which do not expect a chat before it.
  if (translate === 3 && !json) return showChat(run);
  const messages: FcmpMessage[] = [];
  try {
    const outcome = await run.carryOut({
      output: translate !== 0 ? null : json ? 'stderr' : 'stdout',
      conversed(more) {
        if (translate === 1 || translate === 2) messages.push(...more);
      },
    });
    const summary = translate === 1 && (await import('../chat/summary.ts')).parsedSummary(messages, summaryOf(outcome));
    if (json) {
      if (process.stdout.isTTY) run.startLine();
      const translated = translate === 1 ? { summary } : translate === 2 ? { conversation: messages } : {};
      process.stdout.write(`${JSON.stringify({ ...outcomeAnswer(outcome), ...translated })}\n`);
    } else {
      if (translate === 1) print(summary);
      if (translate === 2) print(messages);
      // A file or pipe gets exactly the program's output.
      if (process.stdout.isTTY) run.startLine();
      process.stderr.write(quiet ? describeError(outcome) : describeOutcome(outcome));
    }
    return exitCodeOf(outcome);
  } finally {
    run.restore();
  }
}

/** A chat; a user at the terminal is asked questions and approvals. */
async function showChat(first: ShownRun): Promise<number> {
  const chat = (await import('../chat/open-chat.ts')).openChat();
  const person = await personHere(chat);
  let run = first;
  // Updates the live lines while no new message arrives.
  const ticking = process.stdout.isTTY ? setInterval(() => chat.tick(Date.now()), 100) : undefined;
  try {
    for (;;) {
      const outcome = await run.carryOut(person?.watch(run) ?? { output: null, conversed: chat.show });
      person?.attemptEnded();
      run.restore();
      const answer = (outcome.status === 'waiting_user' && (await person?.ask(outcome.question))) || null;
      if (answer === null) {
        chat.finish({ ...summaryOf(outcome), handle: outcome.runId.slice(-8), question: outcome.question });
        process.stderr.write(describeError(outcome));
        return exitCodeOf(outcome);
      }
      run = await run.answer(outcome, answer);
    }
  } finally {
    clearInterval(ticking);
    run.restore();
  }
}

/** Null without a user to ask. */
async function personHere(chat: ChatView) {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return null;
  const { LinePrompt } = await import('../person/line-prompt.ts');
  if (!LinePrompt.canAsk()) return null;
  const { Person } = await import('../person/person.ts');
  return new Person(chat);
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
