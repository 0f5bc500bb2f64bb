import type { Decision, FcmpMessage } from '../../protocol/index.ts';
import type { ChatView } from '../chat/chat-view.ts';
import { paint } from '../output/paint.ts';
import type { LinePrompt } from './line-prompt.ts';

interface ApprovalPromptsOptions {
  prompt: LinePrompt;
  chat: ChatView;
  decide(approvalId: string, decision: Decision['decision']): Promise<void>;
}

/** Asks the user at the terminal for each approval a live program requests, one at a time. */
export class ApprovalPrompts {
  readonly #options: ApprovalPromptsOptions;
  readonly #waiting: string[] = [];
  #current: { id: string; over: AbortController } | null = null;

  constructor(options: ApprovalPromptsOptions) {
    this.#options = options;
  }

  get asking(): boolean {
    return this.#current !== null;
  }

  observe(messages: readonly FcmpMessage[]): void {
    for (const message of messages) {
      if (message.type === 'approval.required') this.#waiting.push(message.data.approval_id);
      else if (message.type === 'approval.decided') this.#forget(message.data.approval_id);
    }
    if (!this.#current) void this.#askAll();
  }

  /** The program stopped waiting. */
  end(): void {
    this.#waiting.length = 0;
    this.#current?.over.abort();
  }

  #forget(approvalId: string): void {
    const at = this.#waiting.indexOf(approvalId);
    if (at >= 0) this.#waiting.splice(at, 1);
    if (this.#current?.id === approvalId) this.#current.over.abort();
  }

  async #askAll(): Promise<void> {
    const { chat } = this.#options;
    for (let id = this.#waiting.shift(); id !== undefined; id = this.#waiting.shift()) {
      const over = new AbortController();
      this.#current = { id, over };
      chat.hold();
      try {
        await this.#ask(id, over.signal);
      } catch (error) {
        process.stderr.write(`${paint.red('tacho:')} ${(error as Error).message}\n`);
      }
      this.#current = null;
      chat.release();
    }
  }

  async #ask(approvalId: string, signal: AbortSignal): Promise<void> {
    const decision = await this.#options.prompt.ask({ prompt: '  Allow it? (y/n) ', read: decisionOf, signal });
    if (signal.aborted) return;
    if (decision !== null) await this.#options.decide(approvalId, decision);
    else process.stdout.write(`  Decide later: ${paint.bold(`tacho approvals allow ${approvalId}`)}, or deny\n`);
  }
}

function decisionOf(typed: string): Decision['decision'] | null {
  if (/^\s*(?:y|yes)\s*$/i.test(typed)) return 'approved';
  return /^\s*(?:n|no)\s*$/i.test(typed) ? 'denied' : null;
}
