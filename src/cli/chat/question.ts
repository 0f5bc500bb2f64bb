import { withoutDoneMarker } from '../../conversation/index.ts';
import type { AskedQuestion, FcmpMessage, RunQuestion } from '../../protocol/index.ts';
import { wrapText } from './flow.ts';
import type { Page } from './page.ts';
import { sanitizeOneLine } from './sanitize.ts';

export interface Question {
  startAttempt(): void;
  ask(data: FcmpMessage<'user.input.required'>['data']): void;
  /**
   * The run waits for an answer; shows the question unless this attempt already showed it. The caller explains how to
   * answer.
   */
  waiting(question: RunQuestion | null): void;
}

const MAX_LINES = 24;

/** The assistant's question. `saidLast` is true when the text is already on the screen. */
export function createQuestion(page: Page, saidLast: (text: string) => boolean): Question {
  const { colors } = page;
  let isShown = false;

  function asked(text: string, options: readonly unknown[]): string[] {
    const columns = page.screen.columns - 2;
    const prompt = withoutDoneMarker(text).trim();
    const wrapped = prompt === '' || saidLast(prompt) ? [] : wrapText(prompt, columns);
    const lines = wrapped.length > MAX_LINES ? [...wrapped.slice(0, MAX_LINES), '…'] : wrapped;
    const rows = lines.map((line, at) => `${at === 0 ? '?' : ' '} ${line}`.trimEnd()).map((row) => colors.cyan(row));
    for (const [at, option] of options.entries()) {
      rows.push(...wrapText(`${at + 1}. ${labelOf(option)}`, columns - 2).map((line) => `    ${line}`));
    }
    return rows;
  }

  function show(prompt: string, options: readonly unknown[], questions: readonly AskedQuestion[] = []): void {
    isShown = true;
    const rows =
      questions.length === 0 ? asked(prompt, options) : questions.flatMap(({ text, choices }) => asked(text, choices));
    if (rows.length > 0) page.lines('question', rows);
  }

  return {
    startAttempt() {
      isShown = false;
    },
    ask: ({ prompt, options, questions }) => show(prompt, options ?? [], questions),
    waiting(question) {
      if (!isShown) show(question?.prompt ?? '', [], question?.questions);
    },
  };
}

function labelOf(option: unknown): string {
  if (typeof option !== 'object' || option === null) return sanitizeOneLine(String(option));
  const { label, value, description } = option as Record<string, unknown>;
  const name = label ?? value ?? JSON.stringify(option);
  return sanitizeOneLine(typeof description === 'string' ? `${name} – ${description}` : String(name));
}
