import { isEvent, type RaspEvent, type RunStatus } from '../../protocol/index.ts';
import type { ApprovalStore } from './approval-store.ts';

/** What the decisions of programs come to; our own agent has more of them. */
const DECISIONS: Readonly<Record<string, 'approved' | 'denied'>> = {
  approved: 'approved',
  approved_for_session: 'approved',
  approved_with_rule: 'approved',
  denied: 'denied',
  abort: 'denied',
};

/** Stores the approval requests of a live program, and sets the run to waiting. */
export class ApprovalWatch {
  readonly #store: ApprovalStore;
  readonly #become: (status: RunStatus, ts: string) => void;
  #status: RunStatus = 'running';
  readonly #open = new Set<string>();

  constructor(store: ApprovalStore, become: (status: RunStatus, ts: string) => void) {
    this.#store = store;
    this.#become = become;
  }

  /** A request that cannot be stored is still in the events; the recording does not fail. */
  observe(events: readonly RaspEvent[]): void {
    for (const event of events) {
      try {
        if (isEvent(event, 'interaction.approval.requested')) this.#ask(event);
        else if (isEvent(event, 'interaction.approval.decided')) {
          this.#open.delete(event.data.approval_id);
          if (this.#open.size === 0) this.#enter('running', event.ts);
          this.#keepDecision(event);
        }
      } catch {
        // The program's event was invalid, or the folder cannot be written.
      }
    }
  }

  #ask({ run_id, data, ts }: RaspEvent<'interaction.approval.requested'>): void {
    const { approval_id, summary, ...details } = data;
    this.#store.request({ approval_id, run_id, summary, details });
    this.#open.add(approval_id);
    this.#enter('waiting_approval', ts);
  }

  /** A decision typed into the terminal is seen here first. A program can decide only for its own run. */
  #keepDecision({ run_id, data }: RaspEvent<'interaction.approval.decided'>): void {
    const decision = DECISIONS[data.decision];
    const asked = this.#store.list({ status: 'pending' }).find(({ approval_id }) => approval_id === data.approval_id);
    if (decision === undefined || asked?.run_id !== run_id) return;
    const reason = typeof data.reason === 'string' ? data.reason : undefined;
    this.#store.decide(asked.approval_id, { decision, reason });
  }

  #enter(status: RunStatus, ts: string): void {
    if (status === this.#status) return;
    this.#status = status;
    this.#become(status, ts);
  }
}
