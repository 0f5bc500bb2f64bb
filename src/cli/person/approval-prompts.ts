import { type Decision, type FcmpMessage, type PolicyRule, policyRuleSchema } from '../../protocol/index.ts';
import { ruleText } from '../../record/index.ts';
import type { ChatView } from '../chat/chat-view.ts';
import { paint } from '../output/paint.ts';
import type { LinePrompt } from './line-prompt.ts';

interface ApprovalPromptsOptions {
  prompt: LinePrompt;
  chat: ChatView;
  decide(approvalId: string, decision: Decision): Promise<void>;
}

/** A request that waits for its turn. */
interface Asked {
  id: string;
  /** What can be remembered of an approval. */
  rule: PolicyRule | null;
}

/** Asks the user at the terminal for each approval a live program requests, one at a time. */
export class ApprovalPrompts {
  readonly #options: ApprovalPromptsOptions;
  readonly #waiting: Asked[] = [];
  #current: { id: string; over: AbortController } | null = null;

  constructor(options: ApprovalPromptsOptions) {
    this.#options = options;
  }

  get asking(): boolean {
    return this.#current !== null;
  }

  observe(messages: readonly FcmpMessage[]): void {
    for (const message of messages) {
      if (message.type === 'approval.required') this.#waiting.push(askedOf(message.data));
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
    const at = this.#waiting.findIndex(({ id }) => id === approvalId);
    if (at >= 0) this.#waiting.splice(at, 1);
    if (this.#current?.id === approvalId) this.#current.over.abort();
  }

  async #askAll(): Promise<void> {
    const { chat } = this.#options;
    for (let asked = this.#waiting.shift(); asked; asked = this.#waiting.shift()) {
      const over = new AbortController();
      this.#current = { id: asked.id, over };
      chat.hold();
      try {
        await this.#ask(asked, over.signal);
      } catch (error) {
        process.stderr.write(`${paint.red('tacho:')} ${(error as Error).message}\n`);
      }
      this.#current = null;
      chat.release();
    }
  }

  async #ask({ id, rule }: Asked, signal: AbortSignal): Promise<void> {
    const decision = await this.#options.prompt.ask({
      prompt: `  ${questionFor(rule)} `,
      read: (typed) => decisionOf(typed, rule),
      signal,
    });
    if (signal.aborted) return;
    if (decision !== null) await this.#options.decide(id, decision);
    else process.stdout.write(`  Decide later: ${paint.bold(`tacho approvals allow ${id}`)}, or deny\n`);
  }
}

function askedOf({ approval_id: id, suggested_rule }: FcmpMessage<'approval.required'>['data']): Asked {
  const rule = policyRuleSchema.safeParse(suggested_rule);
  return { id, rule: rule.success ? rule.data : null };
}

function questionFor(rule: PolicyRule | null): string {
  if (rule === null) return 'Allow it? (y/n)';
  return `Allow it? (y = yes, n = no, r = for this run, a = always: ${ruleText(rule)})`;
}

function decisionOf(typed: string, rule: PolicyRule | null): Decision | null {
  const word = typed.trim().toLowerCase();
  if (word === 'y' || word === 'yes') return { decision: 'approved' };
  if (word === 'n' || word === 'no') return { decision: 'denied' };
  if (rule === null) return null;
  if (word === 'r' || word === 'run') return { decision: 'approved', remember: 'run' };
  return word === 'a' || word === 'always' ? { decision: 'approved', remember: 'always' } : null;
}
