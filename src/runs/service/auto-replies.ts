import { type Reply, type RunRecord, TachoError } from '../../protocol/index.ts';

/** The limit of a Node timer. */
const MAX_TIMER_MS = 2_147_483_647;
const RETRY_MS = 5000;
/** The question is closed, or the run cannot ask any more: resending the reply changes nothing. */
const REFUSED: ReadonlySet<string> = new Set([
  'REPLY_STALE',
  'RUN_ENDED',
  'IDEMPOTENCY_CONFLICT',
  'SESSION_UNKNOWN',
  // It is not one of the choices.
  'INVALID_REQUEST',
]);

/**
 * Sends the configured reply to a run whose question stays open for the configured time. The deadline is derived from
 * the run's record, so nothing is lost with this process. A failed reply is resent.
 */
export class AutoReplies {
  readonly #reply: (runId: string, reply: Reply) => Promise<unknown>;
  readonly #retryMs: number;
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor(reply: (runId: string, reply: Reply) => Promise<unknown>, { retryMs = RETRY_MS } = {}) {
    this.#reply = reply;
    this.#retryMs = retryMs;
  }

  /** Called on every change of a record. */
  consider(record: RunRecord): void {
    const { run_id: runId, status, question, last } = record;
    const auto_reply = typeof record.request === 'object' ? record.request.auto_reply : record.auto_reply;
    clearTimeout(this.#timers.get(runId));
    this.#timers.delete(runId);
    if (status !== 'waiting_user' || !auto_reply || !question || !last) return;
    const { interaction_id } = question;
    const reply = { interaction_id, text: auto_reply.text, idempotency_key: `auto ${interaction_id}` };
    this.#schedule(runId, reply, Date.parse(last.ended_at) + auto_reply.after_ms);
  }

  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  #schedule(runId: string, reply: Reply, due: number): void {
    const wait = Math.max(0, due - Date.now());
    const timer = setTimeout(
      () => (wait > MAX_TIMER_MS ? this.#schedule(runId, reply, due) : void this.#send(runId, reply, timer)),
      Math.min(wait, MAX_TIMER_MS),
    );
    timer.unref();
    this.#timers.set(runId, timer);
  }

  async #send(runId: string, reply: Reply, timer: NodeJS.Timeout): Promise<void> {
    try {
      await this.#reply(runId, reply);
    } catch (error) {
      if (error instanceof TachoError && REFUSED.has(error.code)) return;
      // Unless the record has changed meanwhile, which rescheduled it.
      if (this.#timers.get(runId) === timer) this.#schedule(runId, reply, Date.now() + this.#retryMs);
    }
  }
}
