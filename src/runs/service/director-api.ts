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

/** Runs as a service: HTTP and the command line use only this interface. */
export interface Director {
  /** Validates, creates the run folder and queues the run. Throws TachoError; QUEUE_FULL above the limit. */
  create(input: RunRequest): Promise<RunView>;
  /**
   * The same, once per key: the same request again returns the run in its current state. Throws IDEMPOTENCY_CONFLICT
   * for a different request, RUN_NOT_FOUND when the run has been removed.
   */
  createOnce(key: string, input: RunRequest): Promise<StartedRun>;
  /** By run id or handle; throws RUN_NOT_FOUND or RUN_AMBIGUOUS. */
  get(selector: string): Promise<RunView>;
  list(query: ListQuery): Promise<{ runs: RunView[]; next_cursor: string | null; total: number }>;
  /** Accepts one reply: throws REPLY_STALE (not the open question), RUN_ENDED, IDEMPOTENCY_CONFLICT. */
  reply(selector: string, reply: Reply): Promise<ReplyAnswer>;
  /** Idempotent; an ended run is not changed. */
  cancel(selector: string): Promise<RunView>;
  /** Types into the live terminal; throws RUN_NOT_LIVE. `piped` sends bytes as a pipe would, `end` closes it. */
  input(selector: string, bytes: Buffer, how?: { piped?: boolean; end?: boolean }): Promise<void>;
  resize(selector: string, cols: number, rows: number): Promise<void>;
  /** Removes an ended run with everything it left; throws RUN_ACTIVE. */
  remove(selector: string): Promise<void>;
  approvals(query: { status?: Approval['status'] }): Promise<Approval[]>;
  /** Idempotent: a second caller gets the first decision. Throws APPROVAL_NOT_FOUND. */
  decide(approvalId: string, decision: Decision): Promise<Approval>;
  /** Reports every change of a run's status or attempt, and its removal. Returns a function that unsubscribes. */
  subscribe(listener: (change: RunChange) => void): () => void;
  stats(): DirectorStats;
  /** Stops dispatching; live attempts keep running under their supervisors. */
  close(): Promise<void>;
}

export interface DirectorStats {
  slots: number;
  queued: number;
  running: number;
  /** All existing runs; null while the counts are unavailable. */
  byStatus: Partial<Record<RunStatus, number>> | null;
}
