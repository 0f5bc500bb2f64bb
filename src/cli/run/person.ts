import type { FcmpMessage } from '../../protocol/index.ts';
import type { ChatView } from '../chat/chat-view.ts';
import { paint } from '../output/paint.ts';
import { ApprovalPrompts } from './approval-prompts.ts';
import { LinePrompt } from './line-prompt.ts';
import type { ShownRun } from './show-run.ts';

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
  async ask(question: string | null): Promise<string | null> {
    this.#chat.ask(question);
    const hint = this.#hintShown ? '\n' : `\n${paint.dim('Type your answer. Ctrl-D leaves the run waiting.')}\n`;
    this.#hintShown = true;
    const typed = await this.#prompt.ask({
      prompt: `${paint.bold(paint.cyan('›'))} `,
      read: (line) => (line.trim() === '' ? null : line),
      hint,
    });
    if (typed !== null) this.#chat.typed(typed);
    return typed;
  }
}
