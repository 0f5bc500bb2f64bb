import {
  type AskedQuestion,
  answersText,
  type FcmpMessage,
  type RunQuestion,
  typedAnswer,
} from '../../protocol/index.ts';
import type { ChatView } from '../chat/chat-view.ts';
import { sanitizeOneLine } from '../chat/sanitize.ts';
import { paint } from '../output/paint.ts';
import type { ShownRun } from '../run/show-run.ts';
import { ApprovalPrompts } from './approval-prompts.ts';
import { LinePrompt } from './line-prompt.ts';
import type { TypedReply } from './typed-reply.ts';

/** The user who reads the chat at this terminal and answers here. */
export class Person {
  readonly #chat: ChatView;
  readonly #prompt = new LinePrompt();
  #approvals: ApprovalPrompts | null = null;
  #hintShown = false;

  constructor(chat: ChatView) {
    this.#chat = chat;
  }

  /** Shows an attempt, and asks for the approvals it requests. */
  watch(run: ShownRun) {
    const approvals = new ApprovalPrompts({
      prompt: this.#prompt,
      chat: this.#chat,
      decide: (id, decision) => run.decide(id, decision),
    });
    this.#approvals = approvals;
    return {
      output: null,
      conversed: (messages: readonly FcmpMessage[]) => {
        this.#prompt.above(() => this.#chat.show(messages));
        approvals.observe(messages);
      },
    };
  }

  attemptEnded(): void {
    this.#approvals?.end();
  }

  /** The answer to a question; null when the user leaves it for later. */
  async ask(question: RunQuestion | null): Promise<TypedReply | null> {
    this.#chat.ask(question);
    const hint = this.#hintShown ? '\n' : `\n${paint.dim('Type your answer. Ctrl-D leaves the run waiting.')}\n`;
    this.#hintShown = true;
    const questions = question?.questions ?? [];
    if (questions.length > 0) return await this.#askEach(questions, hint);
    const typed = await this.#prompt.ask({
      prompt: `${paint.bold(paint.cyan('›'))} `,
      read: (line) => (line.trim() === '' ? null : line),
      hint,
    });
    if (typed === null) return null;
    this.#chat.typed(typed);
    return { text: typed };
  }

  async #askEach(questions: readonly AskedQuestion[], hint: string): Promise<TypedReply | null> {
    const answers: Record<string, string> = {};
    for (const [at, asked] of questions.entries()) {
      // Several questions are shown above; each prompt repeats its own.
      const name = questions.length > 1 ? `${sanitizeOneLine(asked.text)} ` : '';
      const answer = await this.#prompt.ask({
        prompt: `${name}${paint.dim(expected(asked))}${paint.bold(paint.cyan('›'))} `,
        read: (line) => typedAnswer(asked, line),
        ...(at === 0 ? { hint } : {}),
      });
      if (answer === null) return null;
      answers[asked.id] = answer;
    }
    this.#chat.typed(answersText(answers, questions));
    return { answers };
  }
}

/** What can be typed. */
function expected({ choices, allow_other }: AskedQuestion): string {
  if (choices.length === 0) return '';
  return `1–${choices.length}${allow_other ? ' or a text' : ''} `;
}
