import type {
  Approval,
  Decision,
  Reply,
  ReplyAnswer,
  RunChange,
  RunRequest,
  RunStatus,
  RunView,
} from '../../protocol/index.ts';
import type { ListQuery } from '../index/list-runs.ts';
import type { StartedRun } from './start-once.ts';

/** Runs as a service: whoever delivers them (HTTP, the command line) talks to this and to nothing below it. */
export interface Director {
  /** Checks, makes the run folder and queues it. Throws TachoError; QUEUE_FULL when there is no more room. */
  create(input: RunRequest): Promise<RunView>;
  /**
   * The same, once for each key: the same request again gets the run as it is now. Throws IDEMPOTENCY_CONFLICT for
   * another request, RUN_NOT_FOUND when the run has been removed.
   */
  createOnce(key: string, input: RunRequest): Promise<StartedRun>;
  /** By run id or handle; throws RUN_NOT_FOUND or RUN_AMBIGUOUS. */
  get(selector: string): Promise<RunView>;
  list(query: ListQuery): Promise<{ runs: RunView[]; next_cursor: string | null; total: number }>;
  /** One winner: throws REPLY_STALE (not the question that is open), RUN_ENDED, IDEMPOTENCY_CONFLICT. */
  reply(selector: string, reply: Reply): Promise<ReplyAnswer>;
  /** Idempotent; a run that has ended stays as it is. */
  cancel(selector: string): Promise<RunView>;
  /** Types into the live terminal; throws RUN_NOT_LIVE. `piped` hands bytes over as a pipe would, `end` ends them. */
  input(selector: string, bytes: Buffer, how?: { piped?: boolean; end?: boolean }): Promise<void>;
  resize(selector: string, cols: number, rows: number): Promise<void>;
  /** Removes a run that has ended, with all it left; throws RUN_ACTIVE. */
  remove(selector: string): Promise<void>;
  approvals(query: { status?: Approval['status'] }): Promise<Approval[]>;
  /** Idempotent: a second caller gets the first decision. Throws APPROVAL_NOT_FOUND. */
  decide(approvalId: string, decision: Decision): Promise<Approval>;
  /** Hears of every change of a run's status or attempt, and of its removal. Returns a function that stops it. */
  subscribe(listener: (change: RunChange) => void): () => void;
  stats(): DirectorStats;
  /** Stops dispatching; live attempts go on under their supervisors. */
  close(): Promise<void>;
}

export interface DirectorStats {
  slots: number;
  queued: number;
  running: number;
  /** All runs there are; null while nobody can tell. */
  byStatus: Partial<Record<RunStatus, number>> | null;
}
