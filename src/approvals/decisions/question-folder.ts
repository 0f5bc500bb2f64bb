import * as z from 'zod';
import {
  complaintAboutAnswers,
  type HumanAnswer,
  type HumanQuestion,
  humanAnswerSchema,
  humanQuestionSchema,
  TachoError,
} from '../../protocol/index.ts';
import { DecisionFolder, type DecisionFolderSettings, notFound } from './decision-folder.ts';

const storedQuestionSchema = z.strictObject({ question: humanQuestionSchema, asked_at: z.iso.datetime() });
const storedAnswerSchema = z.strictObject({ answer: humanAnswerSchema, answered_at: z.iso.datetime() });

type StoredQuestion = z.infer<typeof storedQuestionSchema>;
type StoredAnswer = z.infer<typeof storedAnswerSchema>;

/** A question, and the answer. */
export interface QuestionEntry {
  question: HumanQuestion;
  asked_at: string;
  /** Null while it is open. */
  answer: HumanAnswer | null;
}

/** Questions to people that outlive their process. Of several answers the first one counts. */
export class QuestionFolder {
  readonly #files: DecisionFolder<StoredQuestion, StoredAnswer>;
  readonly #now: () => string;

  constructor(folder: string, { now = () => new Date().toISOString(), sign }: DecisionFolderSettings = {}) {
    this.#now = now;
    this.#files = new DecisionFolder(folder, {
      readRequest: (value) => storedQuestionSchema.parse(value),
      readDecision: (value) => storedAnswerSchema.parse(value),
      sign,
    });
  }

  /** Adds a question; repeating the same id changes nothing. */
  ask(question: HumanQuestion): QuestionEntry {
    this.#files.add(question.question_id, { question, asked_at: this.#now() });
    return this.get(question.question_id);
  }

  /** A question that cannot be read is not there. */
  get(id: string): QuestionEntry {
    const stored = this.#read(id);
    if (!stored) throw notFound(id);
    return { ...stored, answer: this.#answerTo(stored.question) };
  }

  list({ open = false }: { open?: boolean } = {}): QuestionEntry[] {
    return this.#files
      .ids()
      .flatMap((id) => (this.#read(id) ? [this.get(id)] : []))
      .filter(({ answer }) => !open || answer === null)
      .sort((one, other) => (one.asked_at < other.asked_at ? -1 : 1));
  }

  /** Returns the answer that counts: this one, or the one that came before it. */
  answer(id: string, answer: HumanAnswer): HumanAnswer {
    const { question } = this.get(id);
    const complaint = complaintAboutAnswers(answer.answers, question.questions);
    if (complaint) throw new TachoError('INVALID_REQUEST', complaint, { facts: { question_id: id } });
    this.#files.decide(id, { answer, answered_at: this.#now() });
    return this.get(id).answer!;
  }

  /** Waits for an answer. Rejects with the reason of the signal. */
  wait(id: string, signal: AbortSignal): Promise<HumanAnswer> {
    return this.#files.wait(id, () => this.get(id).answer, signal);
  }

  #read(id: string): StoredQuestion | null {
    try {
      const stored = this.#files.request(id);
      return stored.question.question_id === id ? stored : null;
    } catch {
      return null;
    }
  }

  /** An answer that is damaged, or not one to these questions, is an empty one: it must not wait forever. */
  #answerTo(question: HumanQuestion): HumanAnswer | null {
    try {
      const stored = this.#files.decision(question.question_id);
      if (!stored || !complaintAboutAnswers(stored.answer.answers, question.questions)) return stored?.answer ?? null;
    } catch {
      // Not JSON, or not an answer.
    }
    return { answers: {}, by: 'tacho' };
  }
}
