import * as z from 'zod';
import {
  TachoError,
  type ToolApprovalAnswer,
  type ToolApprovalRequest,
  toolApprovalAnswerSchema,
  toolApprovalRequestSchema,
} from '../../protocol/index.ts';
import { isWithin } from '../policy/suggest-rule.ts';
import { DecisionFolder, type DecisionFolderSettings, notFound } from './decision-folder.ts';

const storedRequestSchema = z.strictObject({ request: toolApprovalRequestSchema, requested_at: z.iso.datetime() });
const storedDecisionSchema = z.strictObject({
  digest: z.string(),
  answer: toolApprovalAnswerSchema,
  decided_at: z.iso.datetime(),
});

type StoredRequest = z.infer<typeof storedRequestSchema>;
type StoredDecision = z.infer<typeof storedDecisionSchema>;

/** A request for a decision, and the decision. */
export interface ApprovalEntry {
  request: ToolApprovalRequest;
  requested_at: string;
  /** Null while it is pending. */
  answer: ToolApprovalAnswer | null;
  decided_at: string | null;
}

/**
 * Approvals of tool calls that outlive their process: any process that can write to the folder may decide. A decision
 * counts for the digest of its request only.
 */
export class ApprovalFolder {
  readonly #files: DecisionFolder<StoredRequest, StoredDecision>;
  readonly #now: () => string;

  constructor(folder: string, { now = () => new Date().toISOString(), sign }: DecisionFolderSettings = {}) {
    this.#now = now;
    this.#files = new DecisionFolder(folder, {
      readRequest: (value) => storedRequestSchema.parse(value),
      readDecision: (value) => storedDecisionSchema.parse(value),
      sign,
    });
  }

  /** Adds a request. Repeating it changes nothing; the same id for something else is refused. */
  request(request: ToolApprovalRequest): ApprovalEntry {
    const id = request.approval_id;
    this.#files.add(id, { request, requested_at: this.#now() });
    if (!this.#read(id)) throw mismatch(id, 'was changed from outside');
    const entry = this.get(id);
    if (!isSameCall(entry.request, request)) throw mismatch(id, 'is about another call');
    return entry;
  }

  /** A request that cannot be read is not there. */
  get(id: string): ApprovalEntry {
    const stored = this.#read(id);
    if (!stored) throw notFound(id);
    const decided = this.#decisionOn(stored.request);
    return { ...stored, answer: decided?.answer ?? null, decided_at: decided?.decided_at ?? null };
  }

  /** The oldest first, without those that cannot be read. */
  list({ pending = false }: { pending?: boolean } = {}): ApprovalEntry[] {
    return this.#files
      .ids()
      .flatMap((id) => (this.#read(id) ? [this.get(id)] : []))
      .filter(({ answer }) => !pending || answer === null)
      .sort((one, other) => compare(one.requested_at, other.requested_at) || compare(keyOf(one), keyOf(other)));
  }

  /** Returns the answer that counts: this one, or the one that came before it. */
  decide(id: string, answer: ToolApprovalAnswer, { digest }: { digest: string }): ToolApprovalAnswer {
    const { request } = this.get(id);
    if (digest !== request.digest) throw mismatch(id, 'has another digest than the one that was decided about');
    const complaint = complaintAbout(answer, request);
    if (complaint) throw mismatch(id, complaint);
    this.#files.decide(id, { digest, answer, decided_at: this.#now() });
    return this.get(id).answer!;
  }

  /** Waits for a decision. Rejects with the reason of the signal. */
  wait(id: string, signal: AbortSignal): Promise<ToolApprovalAnswer> {
    return this.#files.wait(id, () => this.get(id).answer, signal);
  }

  #read(id: string): StoredRequest | null {
    try {
      const stored = this.#files.request(id);
      return stored.request.approval_id === id ? stored : null;
    } catch {
      return null;
    }
  }

  /** A decision that is damaged, or about something else, denies: it must neither allow nor wait forever. */
  #decisionOn(request: ToolApprovalRequest): (Pick<StoredDecision, 'answer'> & { decided_at: string | null }) | null {
    const denied = (reason: string) => ({
      answer: { decision: 'denied', reason, rule: null, by: 'tacho' } as const,
      decided_at: null,
    });
    let stored: StoredDecision | null;
    try {
      stored = this.#files.decision(request.approval_id);
    } catch {
      return denied('the decision cannot be read');
    }
    if (!stored) return null;
    if (stored.digest !== request.digest) return denied('the decision is about another call');
    return complaintAbout(stored.answer, request) ? denied('the rule of the decision allows too much') : stored;
  }
}

function complaintAbout(
  { decision, rule }: ToolApprovalAnswer,
  { suggested_rule }: ToolApprovalRequest,
): string | null {
  if (decision !== 'approved_with_rule') return rule === null ? null : 'has a rule that the decision does not need';
  if (!rule) return 'needs a rule for this decision';
  return suggested_rule && isWithin(rule, suggested_rule) ? null : 'does not allow more than the suggested rule';
}

/** What somebody decides about. Why the policy asks may be put differently by now. */
function isSameCall(one: ToolApprovalRequest, other: ToolApprovalRequest): boolean {
  const parts = ({ digest, tool, summary, actions, ...request }: ToolApprovalRequest) =>
    JSON.stringify([digest, tool, summary, actions, request.arguments]);
  return parts(one) === parts(other);
}

function keyOf({ request }: ApprovalEntry): string {
  return request.approval_id;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function mismatch(id: string, what: string): TachoError {
  return new TachoError('APPROVAL_MISMATCH', `the approval "${id}" ${what}`, {
    facts: { approval_id: id },
    fix: 'Read the request again, and decide about what it says now.',
  });
}
