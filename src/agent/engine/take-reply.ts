import { answersText, complaintAboutAnswers, typedAnswer } from '../../protocol/agent/answers.ts';
import type { HumanQuestion } from '../../protocol/index.ts';
import { type RunDecisions, withDecisionsOf } from '../pending/run-decisions.ts';
import { runPaths } from '../wal/index.ts';
import { decisionInWords } from './decision-in-words.ts';
import type { LeftRun } from './left-run.ts';

/** What tacho sends when there is nothing to say. */
const NOTHING_TO_SAY = /^\s*continue\s*[.!]?\s*$/i;

export interface TakenReply {
  /** For the model, if the reply is neither an answer nor a decision. */
  message: string | null;
  /** Questions and approvals that are still open, by their ids. */
  open: ReadonlySet<string>;
}

/**
 * What a reply means to a run that was left: the answer to its question, the decision about its request, or a message. An
 * answer or decision that is in the folder of the run counts before it.
 */
export function takeReply(workspaceRoot: string, runId: string, left: LeftRun, text: string): TakenReply {
  const taken = withDecisionsOf(runPaths(workspaceRoot, runId), (decisions) => {
    const questions = left.questions.map(({ data }) => answer(decisions, data, text));
    const approvals = left.approvals.map(({ data }) => decide(decisions, data.approval_id, text));
    return [...questions, ...approvals];
  });
  const states = taken ?? [];
  const isUsed = states.some(({ isReply }) => isReply) || NOTHING_TO_SAY.test(text);
  return {
    message: isUsed ? null : text,
    open: new Set(states.filter(({ isOpen }) => isOpen).map(({ id }) => id)),
  };
}

interface Asked {
  id: string;
  isOpen: boolean;
  /** The text is its answer. */
  isReply: boolean;
}

function answer({ questions }: RunDecisions, question: HumanQuestion, text: string): Asked {
  const { question_id: id, questions: asked } = question;
  const given = questions.ask(question).answer;
  if (given) return { id, isOpen: false, isReply: answersText(given.answers, asked) === text };
  const [only, ...more] = asked;
  const typed = only && more.length === 0 ? typedAnswer(only, text) : null;
  if (typed === null || complaintAboutAnswers({ [only!.id]: typed }, asked))
    return { id, isOpen: true, isReply: false };
  questions.answer(id, { answers: { [only!.id]: typed }, by: 'user' });
  return { id, isOpen: false, isReply: true };
}

function decide({ approvals }: RunDecisions, id: string, text: string): Asked {
  const entry = approvals.list().find(({ request }) => request.approval_id === id);
  const decision = decisionInWords(text);
  if (!entry) return { id, isOpen: true, isReply: false };
  if (entry.answer) return { id, isOpen: false, isReply: decision !== null };
  if (decision === null) return { id, isOpen: true, isReply: false };
  const answer = { decision, reason: null, rule: null, by: 'user' };
  approvals.decide(id, answer, { digest: entry.request.digest });
  return { id, isOpen: false, isReply: true };
}
