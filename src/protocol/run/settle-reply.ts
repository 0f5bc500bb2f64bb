import { answersText, complaintAboutAnswers } from '../agent/answers.ts';
import { TachoError } from '../error-code.ts';
import type { Reply } from '../http/messages.ts';
import type { RunQuestion } from './question.ts';

/** What a reply says, and how it answers the single questions if there are any. */
export interface SettledReply {
  text: string;
  answers?: Record<string, string>;
}

/** Checks a reply against the question that it answers. Throws INVALID_REQUEST, which names the choices. */
export function settleReply(question: RunQuestion, reply: Pick<Reply, 'text' | 'answers'>): SettledReply {
  const { questions } = question;
  if (!questions) {
    if (reply.text !== undefined) return { text: reply.text };
    throw invalid(question, 'the question has no parts that can be answered by id', 'Reply with a text.');
  }
  const answers = reply.answers ?? { [onlyQuestion(question).id]: reply.text!.trim() };
  const complaint = complaintAboutAnswers(answers, questions);
  if (complaint !== null) throw invalid(question, complaint);
  return { text: answersText(answers, questions), answers };
}

function onlyQuestion(question: RunQuestion): NonNullable<RunQuestion['questions']>[number] {
  const [first, ...more] = question.questions!;
  if (more.length === 0) return first!;
  const ids = question.questions!.map(({ id }) => id);
  throw invalid(question, `the run asks ${ids.length} questions`, `Answer each one by its id: ${ids.join(', ')}.`);
}

function invalid(question: RunQuestion, message: string, fix?: string): TachoError {
  const { interaction_id, questions = [] } = question;
  return new TachoError('INVALID_REQUEST', message, {
    facts: {
      interaction_id,
      questions: questions.map(({ id, choices }) => ({ id, choices: choices.map(({ value }) => value) })),
    },
    ...(fix === undefined ? {} : { fix }),
  });
}
