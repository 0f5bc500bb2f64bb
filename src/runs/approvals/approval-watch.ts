import { decisionSchema, isEvent, type RaspEvent, type RunRecord, type RunStatus } from '../../protocol/index.ts';
import { type RunFolder, writeRunRecord } from '../../recording/index.ts';
import type { AttemptLog } from '../attempt/attempt-log.ts';
import { statusDraft } from '../attempt/drafts.ts';
import type { ApprovalStore } from './approval-store.ts';

/** Puts what a live program asks to be allowed where it can be decided, and says that the run waits for it. */
export class ApprovalWatch {
  readonly #run: { folder: RunFolder; record: RunRecord; attempt: number };
  readonly #store: ApprovalStore;
  #status: RunStatus = 'running';

  constructor(run: { folder: RunFolder; record: RunRecord; attempt: number }, store: ApprovalStore) {
    this.#run = run;
    this.#store = store;
  }

  observe(events: readonly RaspEvent[], log: AttemptLog): void {
    for (const event of events) {
      if (isEvent(event, 'interaction.approval.requested')) {
        const { approval_id, summary, ...details } = event.data;
        this.#store.request({ approval_id, run_id: event.run_id, summary, details });
        this.#become('waiting_approval', event, log);
      } else if (isEvent(event, 'interaction.approval.decided')) {
        this.#keepDecision(event);
        this.#become('running', event, log);
      }
    }
  }

  /** One that was typed into the terminal is known here first. A program speaks only for its own run. */
  #keepDecision({ run_id, data }: RaspEvent<'interaction.approval.decided'>): void {
    const decision = decisionSchema.safeParse({ decision: data.decision, reason: data.reason });
    const asked = this.#store.list({ status: 'pending' }).find(({ approval_id }) => approval_id === data.approval_id);
    if (decision.success && asked?.run_id === run_id) this.#store.decide(asked.approval_id, decision.data);
  }

  #become(status: RunStatus, { ts }: RaspEvent, log: AttemptLog): void {
    if (status === this.#status) return;
    this.#status = status;
    const { folder, record, attempt } = this.#run;
    const reason_code = status === 'running' ? 'approval_decided' : 'approval_requested';
    // A record that cannot be written is told by the attempt itself.
    void log.append([statusDraft({ attempt, engine: record.engine }, ts, status, { reason_code })]).catch(() => {});
    record.status = status;
    record.updated_at = new Date().toISOString();
    writeRunRecord(folder, record);
  }
}
