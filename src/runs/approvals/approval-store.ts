import fs from 'node:fs';
import path from 'node:path';
import { createOnce, errnoOf, readRegularFile } from '../../files/index.ts';
import { type Approval, approvalSchema, type Decision, TachoError } from '../../protocol/index.ts';
import { approvalsFolder, type DataHome } from '../data-home.ts';

const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/**
 * Approval requests, one file each, and decisions, one file each. A decision is created, never replaced: of two
 * concurrent decisions one wins, and the other caller gets the winning one.
 */
export class ApprovalStore {
  readonly #folder: string;
  readonly #onUnreadable: (error: unknown, file: string) => void;

  /** `onUnreadable`: a file in the folder is not an approval and was skipped. */
  constructor(
    home: DataHome,
    { onUnreadable = () => {} }: { onUnreadable?: (error: unknown, file: string) => void } = {},
  ) {
    this.#folder = approvalsFolder(home);
    this.#onUnreadable = onUnreadable;
  }

  /** Adds a request; repeating the same id changes nothing. */
  request(approval: Pick<Approval, 'approval_id' | 'run_id' | 'summary' | 'details'>): Approval {
    checkId(approval.approval_id);
    fs.mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const asked = { ...approval, requested_at: new Date().toISOString() };
    createJson(this.#requestFile(approval.approval_id), asked);
    return this.get(approval.approval_id);
  }

  get(approvalId: string): Approval {
    checkId(approvalId);
    const asked = readJson(this.#requestFile(approvalId));
    if (!asked) throw notFound(approvalId);
    const decided = readJson(this.#decisionFile(approvalId)) ?? { status: 'pending', decided_at: null, reason: null };
    return approvalSchema.parse({ ...asked, ...decided });
  }

  list({ status }: { status?: Approval['status'] }): Approval[] {
    let names: string[];
    try {
      names = fs.readdirSync(this.#folder);
    } catch {
      return []; // There are no requests yet.
    }
    return names
      .filter((name) => name.endsWith('.request.json'))
      .flatMap((name) => this.#read(name.slice(0, -'.request.json'.length)) ?? [])
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
      this.#onUnreadable(error, this.#requestFile(approvalId));
      return null;
    }
  }

  #close(approvalId: string, status: Approval['status'], reason: string | null): void {
    createJson(this.#decisionFile(approvalId), { status, decided_at: new Date().toISOString(), reason });
  }

  #requestFile(id: string): string {
    return path.join(this.#folder, `${id}.request.json`);
  }

  #decisionFile(id: string): string {
    return path.join(this.#folder, `${id}.decision.json`);
  }
}

/** The first write wins. */
function createJson(file: string, content: object): void {
  createOnce(file, `${JSON.stringify(content)}\n`, { durable: true });
}

function readJson(file: string): object | null {
  try {
    return JSON.parse(readRegularFile(file)) as object;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function checkId(id: string): void {
  if (!ID.test(id)) throw notFound(id);
}

function notFound(id: string): TachoError {
  return new TachoError('APPROVAL_NOT_FOUND', `there is no approval "${id.slice(0, 100)}"`);
}
