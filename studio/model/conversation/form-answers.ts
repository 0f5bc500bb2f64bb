import type { AskedQuestion } from '../../../src/protocol/index.ts';

/** Answers that are being given, by the ids of the questions. A choice and a text of one's own exclude each other. */
export type FormAnswers = Readonly<Record<string, string>>;

/** Whether the answer to a question is one of its choices, or is being written. */
export function isOther({ choices }: AskedQuestion, answer: string | undefined): boolean {
  return answer !== undefined && !choices.some(({ value }) => value === answer);
}

/** Null while one of the questions has no answer. */
export function completeAnswers(
  questions: readonly AskedQuestion[],
  given: FormAnswers,
): Record<string, string> | null {
  const answers = questions.map(({ id }) => [id, (given[id] ?? '').trim()] as const);
  return answers.every(([, answer]) => answer !== '') ? Object.fromEntries(answers) : null;
}

/** The stored answers to these questions; none if they are unreadable. */
export function parseAnswers(kept: string, questions: readonly AskedQuestion[]): FormAnswers {
  try {
    const value: unknown = JSON.parse(kept);
    if (typeof value !== 'object' || value === null) return {};
    const isAsked = (id: string) => questions.some((question) => question.id === id);
    return Object.fromEntries(
      Object.entries(value).filter(([id, answer]) => isAsked(id) && typeof answer === 'string'),
    ) as FormAnswers;
  } catch {
    return {};
  }
}

/** A draft as a person reads it: answers to single questions are kept as JSON. */
export function draftWords(draft: string): string {
  try {
    const value: unknown = JSON.parse(draft);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return draft;
    return Object.values(value).join('\n');
  } catch {
    return draft;
  }
}
