import { DecisionFolder } from '../../approvals/decisions/decision-folder.ts';
import { type Approval, approvalSchema, type Decision } from '../../protocol/index.ts';
import { approvalsFolder, type DataHome } from '../data-home.ts';

type Asked = Pick<Approval, 'approval_id' | 'run_id' | 'summary' | 'details' | 'requested_at'>;
type Decided = Pick<Approval, 'status' | 'decided_at' | 'reason'>;

/** Made for the first file that is read: most runs ask for nothing, and load no schema. */
const askedSchema = () => approvalSchema.omit({ status: true, decided_at: true, reason: true });
const decidedSchema = () => approvalSchema.pick({ status: true, decided_at: true, reason: true });
const PENDING: Decided = { status: 'pending', decided_at: null, reason: null };

/** What programs ask to be allowed, and the decisions. */
export class ApprovalStore {
  readonly #files: DecisionFolder<Asked, Decided>;
  readonly #onUnreadable: (error: unknown, file: string) => void;

  /** `onUnreadable`: a file in the folder is not an approval and was skipped. */
  constructor(
    home: DataHome,
    { onUnreadable = () => {} }: { onUnreadable?: (error: unknown, file: string) => void } = {},
  ) {
    this.#files = new DecisionFolder<Asked, Decided>(approvalsFolder(home), {
      readRequest: (value) => askedSchema().parse(value),
      readDecision: (value) => decidedSchema().parse(value),
    });
    this.#onUnreadable = onUnreadable;
  }

  /** Adds a request; repeating the same id changes nothing. */
  request(approval: Omit<Asked, 'requested_at'>): Approval {
    this.#files.add(approval.approval_id, { ...approval, requested_at: new Date().toISOString() });
    return this.get(approval.approval_id);
  }

  get(approvalId: string): Approval {
    return { ...this.#files.request(approvalId), ...(this.#files.decision(approvalId) ?? PENDING) };
  }

  list({ status }: { status?: Approval['status'] }): Approval[] {
    return this.#files
      .ids()
      .flatMap((id) => this.#read(id) ?? [])
      .filter((approval) => status === undefined || approval.status === status)
      .sort((one, other) => (one.requested_at < other.requested_at ? -1 : 1));
  }

  decide(approvalId: string, { decision, reason }: Decision): Approval {
    this.get(approvalId);
    this.#close(approvalId, decision, reason ?? null);
    return this.get(approvalId);
  }

  /** Expires requests without a decision after their program has ended. An earlier decision stays. */
  expire(runId: string): void {
    for (const { approval_id, run_id } of this.list({ status: 'pending' })) {
      if (run_id === runId) this.#close(approval_id, 'expired', null);
    }
  }

  /** Recorded programs can write to the folder, so it may contain anything. */
  #read(approvalId: string): Approval | null {
    try {
      return this.get(approvalId);
    } catch (error) {
      this.#onUnreadable(error, this.#files.requestFile(approvalId));
      return null;
    }
  }

  #close(approvalId: string, status: Approval['status'], reason: string | null): void {
    this.#files.decide(approvalId, { status, decided_at: new Date().toISOString(), reason });
  }
}
