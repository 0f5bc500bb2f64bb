import type { AskedQuestion } from './decision.ts';

/** Why these cannot be answers to the questions; null if they can. */
export function complaintAboutAnswers(
  answers: Readonly<Record<string, string>>,
  questions: readonly AskedQuestion[],
): string | null {
  const unknown = Object.keys(answers).find((id) => !questions.some((question) => question.id === id));
  if (unknown !== undefined) {
    return `there is no question "${unknown}"; the questions are ${questions.map(({ id }) => `"${id}"`).join(', ')}`;
  }
  for (const { id, choices, allow_other } of questions) {
    const given = Object.hasOwn(answers, id) ? answers[id]! : null;
    if (given === null) return `the question "${id}" has no answer`;
    const isChoice = choices.some(({ value }) => value === given);
    if (isChoice || allow_other || choices.length === 0) continue;
    const offered = choices.map(({ value }) => `"${value}"`).join(', ');
    return `"${given}" is not a choice of the question "${id}"; the choices are ${offered}`;
  }
  return null;
}

/** What a person typed as the answer to one question: the number of a choice, its value, or any text. Null: not an answer. */
export function typedAnswer({ choices, allow_other }: AskedQuestion, typed: string): string | null {
  const text = typed.trim();
  const number = /^\d+$/.test(text) ? Number(text) : 0;
  // A choice that is itself a number counts before the position of another.
  const chosen = choices.find(({ value }) => value === text) ?? choices[number - 1];
  if (chosen) return chosen.value;
  const isFree = allow_other || choices.length === 0;
  return isFree && text !== '' ? text : null;
}

/** Answers in the order of the questions, as one text. */
export function answersText(answers: Readonly<Record<string, string>>, questions: readonly AskedQuestion[]): string {
  const [first, ...more] = questions;
  if (first && more.length === 0) return answers[first.id] ?? '';
  return questions.map(({ id, text }) => `${text}\n${answers[id] ?? ''}`).join('\n\n');
}
