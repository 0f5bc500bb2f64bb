import { describeError } from '../classify-error.ts';
import type { Drafter } from '../drafter.ts';
import { integerOf, type JsonObject } from '../json-value.ts';
import type { Unit } from '../unit.ts';

/**
 * A message that failed. Two lines later it is known whether that is the end: after the agent has ended pi may begin anew,
 * and until then it is not known whether the error counts or is only the reason for another try.
 */
export interface Failure {
  /** An assistant message has ended; any but a failed one clears what was before. */
  message(stopReason: string | null, errorMessage: string | null, unit: Unit): void;
  /** False when there is no failure, so that the end is a usual one. */
  agentEnd(unit: Unit): boolean;
  /** It retries; `reason` if it gives one, and its other fields. */
  retry(reason: string | null, unit: Unit, facts?: Record<string, unknown>): void;
  /** Another thing begins after the agent's end: there will be no other try. */
  moveOn(): void;
  /** There will be no other try. False when nothing had failed. */
  settle(): boolean;
}

const FAILED: ReadonlySet<string> = new Set(['error', 'aborted']);

export function createFailure(draft: Drafter): Failure {
  let open: { stopReason: string; message: string; unit: Unit; agentEnd: Unit | null } | null = null;

  function endAgent(): void {
    if (open?.agentEnd) draft.phase(`agent_end.${open.stopReason}`, open.agentEnd);
  }

  function settle(): boolean {
    if (!open) return false;
    const { code, message, facts } = describeError(open.message);
    draft.error(code, message, open.agentEnd ?? open.unit, facts);
    if (open.agentEnd) endAgent();
    else draft.phase(`message_end.${open.stopReason}`, open.unit);
    open = null;
    return true;
  }

  return {
    message(stopReason, errorMessage, unit) {
      if (stopReason === null || !FAILED.has(stopReason)) open = null;
      else open = { stopReason, message: errorMessage ?? `the request ended with ${stopReason}`, unit, agentEnd: null };
    },
    agentEnd(unit) {
      if (!open) return false;
      open.agentEnd = unit;
      return true;
    },
    retry(reason, unit, facts = {}) {
      endAgent();
      const { message, facts: cause } = describeError(reason ?? open?.message ?? 'pi retries');
      draft.error('ENGINE_RETRY', message, unit, { ...facts, ...cause });
      open = null;
    },
    moveOn() {
      if (open?.agentEnd) settle();
    },
    settle,
  };
}

/** The fields of `auto_retry_start` about the next try. */
export function retryFacts(event: JsonObject): Record<string, unknown> {
  return {
    attempt: integerOf(event.attempt),
    max_attempts: integerOf(event.maxAttempts),
    delay_ms: integerOf(event.delayMs),
  };
}
