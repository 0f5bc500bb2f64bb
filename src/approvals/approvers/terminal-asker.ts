import { createInterface } from 'node:readline';
import type { HumanAnswer, HumanQuestion } from '../../protocol/index.ts';
import { DecidedElsewhere } from './decided-elsewhere.ts';
import { checkTerminal, createTurns, plainText, type TerminalStreams } from './terminal.ts';

type Question = HumanQuestion['questions'][number];

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
        answer = answerTo(question, value);
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

function describe({ text, choices, allow_other }: Question): string {
  const numbered = choices.map(({ value, description }, index) => {
    const more = description === null ? '' : ` – ${plainText(description)}`;
    return `  ${index + 1}. ${plainText(value)}${more}\n`;
  });
  const hint = choices.length === 0 ? '> ' : allow_other ? 'Number or text: ' : 'Number: ';
  return `\n${plainText(text)}\n${numbered.join('')}${hint}`;
}

/** Null if it has to be asked again. */
function answerTo({ choices, allow_other }: Question, typed: string): string | null {
  const text = typed.trim();
  const number = /^\d+$/.test(text) ? Number(text) : 0;
  const chosen = choices[number - 1] ?? choices.find(({ value }) => value === text);
  if (chosen) return chosen.value;
  const isFree = allow_other || choices.length === 0;
  return isFree && text !== '' ? text : null;
}
