import { withoutDoneMarker } from '../../conversation/index.ts';
import type { FcmpMessage } from '../../protocol/index.ts';
import { columnsOf } from './columns.ts';
import { wrapText } from './flow.ts';
import { harmlessOneLine } from './harmless.ts';
import type { Page } from './page.ts';

export interface Question {
  startAttempt(): void;
  ask(data: FcmpMessage<'user.input.required'>['data'], handle: string): void;
  /** The run waits for an answer; asks unless it has been asked in this attempt. */
  waiting(handle: string, prompt: string | null): void;
}

const MOST_LINES = 24;

/** What the assistant wants to know and how to answer it. `saidLast`: the question stands on the screen already. */
export function createQuestion(page: Page, saidLast: (text: string) => boolean): Question {
  const { colors } = page;
  let asked = false;

  function show(asks: string, options: readonly unknown[], handle: string): void {
    asked = true;
    const columns = page.screen.columns - 2;
    const prompt = withoutDoneMarker(asks).trim();
    const known = prompt === '' || saidLast(prompt);
    const wrapped = wrapText(known ? 'Waiting for your answer' : prompt, columns);
    const lines = wrapped.length > MOST_LINES ? [...wrapped.slice(0, MOST_LINES), '…'] : wrapped;
    const rows = lines.map((line, at) => `${at === 0 ? '?' : ' '} ${line}`.trimEnd()).map((row) => colors.cyan(row));
    for (const [at, option] of options.entries()) {
      rows.push(...wrapText(`${at + 1}. ${labelOf(option)}`, columns - 2).map((line) => `    ${line}`));
    }
    page.lines('question', [...rows, ...answerRows(handle, columns).map((row) => `  ${row}`)]);
  }

  /** A command to copy is not broken in the middle; where the words before it leave no room they have their own line. */
  function answerRows(handle: string, columns: number): string[] {
    const command = `tacho resume ${handle} "your answer"`;
    const lead = colors.dim('answer with');
    return columnsOf(`answer with ${command}`) <= columns
      ? [`${lead} ${colors.bold(command)}`]
      : [lead, ...wrapText(command, columns).map((line) => colors.bold(line))];
  }

  return {
    startAttempt() {
      asked = false;
    },
    ask: ({ prompt, options }, handle) => show(prompt, options ?? [], handle),
    waiting(handle, prompt) {
      if (!asked) show(prompt ?? '', [], handle);
    },
  };
}

function labelOf(option: unknown): string {
  if (typeof option !== 'object' || option === null) return harmlessOneLine(String(option));
  const { label, value, description } = option as Record<string, unknown>;
  const name = label ?? value ?? JSON.stringify(option);
  return harmlessOneLine(typeof description === 'string' ? `${name} – ${description}` : String(name));
}
