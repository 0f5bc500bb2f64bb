import { type AgentRef, isEvent, type RaspEvent, type RunStatus } from '../../protocol/index.ts';
import type { ApprovalStore } from './approval-store.ts';

/** What the decisions of programs come to; our own agent has more of them. */
const DECISIONS: Readonly<Record<string, 'approved' | 'denied'>> = {
  approved: 'approved',
  approved_for_session: 'approved',
  approved_with_rule: 'approved',
  denied: 'denied',
  abort: 'denied',
};

export interface ApprovalWatchOptions {
  become(status: RunStatus, ts: string, reason: string): void;
  /** An agent in a program of the user, which keeps running while it asks. Its requests may not name it. */
  agent?: AgentRef;
}

/** Stores the approval requests of a live program, and sets the run to waiting. */
export class ApprovalWatch {
  readonly #store: ApprovalStore;
  readonly #options: ApprovalWatchOptions;
  #status: RunStatus = 'running';
  readonly #open = new Set<string>();
  /** The question that an agent asks while it keeps running. */
  #question: string | null = null;

  constructor(store: ApprovalStore, options: ApprovalWatchOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** A request that cannot be stored is still in the events; the recording does not fail. */
  observe(events: readonly RaspEvent[]): void {
    for (const event of events) {
      try {
        if (isEvent(event, 'interaction.approval.requested')) this.#ask(event);
        else if (isEvent(event, 'interaction.approval.decided')) {
          this.#open.delete(event.data.approval_id);
          this.#settle(event.ts, 'approval_decided');
          this.#keepDecision(event);
        } else if (this.#options.agent) this.#observeQuestion(event);
      } catch {
        // The program's event was invalid, or the folder cannot be written.
      }
    }
  }

  #ask({ run_id, data, ts }: RaspEvent<'interaction.approval.requested'>): void {
    const { approval_id, summary, ...details } = data;
    const { agent } = this.#options;
    this.#store.request({ approval_id, run_id, summary, details: { ...(agent ? { agent } : {}), ...details } });
    this.#open.add(approval_id);
    this.#settle(ts, 'approval_requested');
  }

  /** Those of child agents are not the run's own. */
  #observeQuestion(event: RaspEvent): void {
    if (event.source.stream === null || event.correlation?.parent !== undefined) return;
    if (isEvent(event, 'interaction.user_input.required')) {
      this.#question = event.data.interaction_id;
      this.#settle(event.ts, 'question_asked');
    } else if (this.#question !== null && isAnswer(event, this.#question)) {
      this.#question = null;
      this.#settle(event.ts, 'question_answered');
    }
  }

  /** A decision typed into the terminal is seen here first. A program can decide only for its own run. */
  #keepDecision({ run_id, data }: RaspEvent<'interaction.approval.decided'>): void {
    const decision = DECISIONS[data.decision];
    const asked = this.#store.list({ status: 'pending' }).find(({ approval_id }) => approval_id === data.approval_id);
    if (decision === undefined || asked?.run_id !== run_id) return;
    const reason = typeof data.reason === 'string' ? data.reason : undefined;
    this.#store.decide(asked.approval_id, { decision, reason });
  }

  #settle(ts: string, reason: string): void {
    const status = this.#question !== null ? 'waiting_user' : this.#open.size > 0 ? 'waiting_approval' : 'running';
    if (status === this.#status) return;
    this.#status = status;
    this.#options.become(status, ts, reason);
  }
}

function isAnswer(event: RaspEvent, question: string): boolean {
  if (isEvent(event, 'interaction.reply.accepted')) return event.data.interaction_id === question;
  // Whatever became of the question, the agent does not wait for it any more.
  return (
    isEvent(event, 'lifecycle.run.status') &&
    /^(llm_response_completed|run_(completed|failed|cancelled))$/.test(event.data.phase ?? '')
  );
}
