import { decisionSchema, isEvent, type RaspEvent, type RunStatus } from '../../protocol/index.ts';
import type { ApprovalStore } from './approval-store.ts';

/** Puts what a live program asks to be allowed where it can be decided, and says that the run waits for it. */
export class ApprovalWatch {
  readonly #store: ApprovalStore;
  readonly #become: (status: RunStatus, ts: string) => void;
  #status: RunStatus = 'running';

  constructor(store: ApprovalStore, become: (status: RunStatus, ts: string) => void) {
    this.#store = store;
    this.#become = become;
  }

  /** What cannot be kept in the store is in the events all the same, and fails no recording. */
  observe(events: readonly RaspEvent[]): void {
    for (const event of events) {
      try {
        if (isEvent(event, 'interaction.approval.requested')) this.#ask(event);
        else if (isEvent(event, 'interaction.approval.decided')) {
          this.#enter('running', event.ts);
          this.#keepDecision(event);
        }
      } catch {
        // The program's own words were wrong, or the folder cannot be written.
      }
    }
  }

  #ask({ run_id, data, ts }: RaspEvent<'interaction.approval.requested'>): void {
    const { approval_id, summary, ...details } = data;
    this.#store.request({ approval_id, run_id, summary, details });
    this.#enter('waiting_approval', ts);
  }

  /** One that was typed into the terminal is known here first. A program speaks only for its own run. */
  #keepDecision({ run_id, data }: RaspEvent<'interaction.approval.decided'>): void {
    const decision = decisionSchema.safeParse({ decision: data.decision, reason: data.reason });
    const asked = this.#store.list({ status: 'pending' }).find(({ approval_id }) => approval_id === data.approval_id);
    if (decision.success && asked?.run_id === run_id) this.#store.decide(asked.approval_id, decision.data);
  }

  #enter(status: RunStatus, ts: string): void {
    if (status === this.#status) return;
    this.#status = status;
    this.#become(status, ts);
  }
}
