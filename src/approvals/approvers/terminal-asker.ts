import { createInterface } from 'node:readline';
import { type AskedQuestion, type HumanAnswer, type HumanQuestion, typedAnswer } from '../../protocol/index.ts';
import { DecidedElsewhere } from './decided-elsewhere.ts';
import { checkTerminal, createTurns, plainText, type TerminalStreams } from './terminal.ts';

/** Asks the questions of tools on a terminal. `later` if it is closed meanwhile. */
export function terminalAsker(streams: TerminalStreams): {
  ask(question: HumanQuestion, signal: AbortSignal): Promise<HumanAnswer | 'later'>;
} {
  checkTerminal(streams, 'the terminal asker');
  const inTurn = createTurns();
  return { ask: (question, signal) => inTurn(() => askAll(question, streams, signal)) };
}

async function askAll(
  { questions }: HumanQuestion,
  { input, output }: TerminalStreams,
  signal: AbortSignal,
): Promise<HumanAnswer | 'later'> {
  const lines = createInterface({ input, output, terminal: false });
  const abort = (): void => {
    if (signal.reason instanceof DecidedElsewhere) output.write('answered elsewhere\n');
    lines.close();
  };
  signal.addEventListener('abort', abort);
  try {
    signal.throwIfAborted();
    const typed = lines[Symbol.asyncIterator]();
    const answers: Record<string, string> = {};
    for (const question of questions) {
      output.write(describe(question));
      let answer: string | null = null;
      while (answer === null) {
        const { value, done } = await typed.next();
        signal.throwIfAborted();
        if (done) return 'later';
        answer = typedAnswer(question, value);
        if (answer === null) output.write(`Type a number from 1 to ${question.choices.length}: `);
      }
      answers[question.id] = answer;
    }
    return { answers, by: 'terminal' };
  } finally {
    signal.removeEventListener('abort', abort);
    lines.close();
  }
}

function describe({ text, choices, allow_other }: AskedQuestion): string {
  const numbered = choices.map(({ value, description }, index) => {
    const more = description === null ? '' : ` – ${plainText(description)}`;
    return `  ${index + 1}. ${plainText(value)}${more}\n`;
  });
  const hint = choices.length === 0 ? '> ' : allow_other ? 'Number or text: ' : 'Number: ';
  return `\n${plainText(text)}\n${numbered.join('')}${hint}`;
}
