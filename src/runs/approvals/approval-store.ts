import { DecisionFolder } from '../../approvals/decisions/decision-folder.ts';
import { type AgentRef, type Approval, agentRefSchema, approvalSchema, type Decision } from '../../protocol/index.ts';
import { approvalsFolder, type DataHome } from '../data-home.ts';

type Asked = Pick<Approval, 'approval_id' | 'run_id' | 'summary' | 'details' | 'requested_at'>;
type Decided = Pick<Approval, 'status' | 'decided_at' | 'reason'>;

/** Made for the first file that is read: most runs ask for nothing, and load no schema. */
const askedSchema = () => approvalSchema.omit({ status: true, decided_at: true, reason: true });
const decidedSchema = () => approvalSchema.pick({ status: true, decided_at: true, reason: true });
const PENDING: Decided = { status: 'pending', decided_at: null, reason: null };

/** The agent run that keeps the request, if our own agent made it: what is here then repeats what is there. */
export function agentOf({ details }: Pick<Approval, 'details'>): AgentRef | null {
  const parsed = agentRefSchema.safeParse((details as { agent?: unknown } | null)?.agent);
  return parsed.success ? parsed.data : null;
}

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

  /** Adds a request; repeating the same id changes nothing. An agent that was continued may ask again. */
  request(approval: Omit<Asked, 'requested_at'>): Approval {
    const id = approval.approval_id;
    this.#files.add(id, { ...approval, requested_at: new Date().toISOString() });
    const known = this.get(id);
    if (known.status !== 'expired' || agentOf(known) === null) return known;
    this.#files.withdraw(id);
    return this.get(id);
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

  /** Keeps a decision; that about a request of an agent is made in the folder of its run first. */
  decide(approvalId: string, { decision, reason }: Pick<Decision, 'decision' | 'reason'>): Approval {
    this.get(approvalId);
    this.#close(approvalId, decision, reason ?? null);
    return this.get(approvalId);
  }

  /**
   * Expires requests without a decision after their program has ended. An earlier decision stays, and so does a request of
   * an agent as long as the run itself has not ended: it is decided later, and the run continues.
   */
  expire(runId: string, { isOver }: { isOver: boolean }): void {
    for (const approval of this.list({ status: 'pending' })) {
      if (approval.run_id === runId && (isOver || agentOf(approval) === null)) {
        this.#close(approval.approval_id, 'expired', null);
      }
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
