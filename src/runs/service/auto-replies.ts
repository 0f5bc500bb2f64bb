import type { Reply, RunRecord } from '../../protocol/index.ts';

/** A Node timer cannot be set for longer. */
const LONGEST_TIMER = 2_147_483_647;

/**
 * Answers for those who do not: a run whose question stays open for as long as it was told to wait gets the reply it
 * was given. When that is follows from the run's record, so nothing is lost with this process.
 */
export class AutoReplies {
  readonly #reply: (runId: string, reply: Reply) => void;
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor(reply: (runId: string, reply: Reply) => void) {
    this.#reply = reply;
  }

  /** Called whenever a record has changed. */
  consider(record: RunRecord): void {
    const { run_id: runId, status, question, last } = record;
    const auto_reply = typeof record.request === 'object' ? record.request.auto_reply : record.auto_reply;
    clearTimeout(this.#timers.get(runId));
    this.#timers.delete(runId);
    if (status !== 'waiting_user' || !auto_reply || !question || !last) return;
    const due = Date.parse(last.ended_at) + auto_reply.after_ms;
    const { interaction_id } = question;
    const reply = { interaction_id, text: auto_reply.text, idempotency_key: `auto ${interaction_id}` };
    const timer = setTimeout(() => this.#reply(runId, reply), Math.min(Math.max(0, due - Date.now()), LONGEST_TIMER));
    timer.unref();
    this.#timers.set(runId, timer);
  }

  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }
}
