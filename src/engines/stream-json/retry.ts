import type { Drafter } from '../drafter.ts';
import { fieldOf, type JsonObject, taken, textOf } from '../json-value.ts';
import type { Unit } from '../unit.ts';

/** The engine sends a request again: `api_retry` and `api_error` of claude, `retry` of qwen, each with its own fields. */
export function readRetry(draft: Drafter, event: JsonObject, unit: Unit): void {
  const { error, data } = event;
  const message = textOf(error) ?? textOf(fieldOf(error, 'message')) ?? 'the request to the model failed';
  const facts: Record<string, unknown> = {
    attempt: event.attempt ?? event.retry_attempt,
    max_retries: event.max_retries,
    retry_delay_ms: event.retry_delay_ms ?? event.retry_in_ms,
    error_status: event.error_status ?? fieldOf(error, 'status'),
    discarded_tool_calls: fieldOf(data, 'discardedToolCalls'),
    preserved_text: fieldOf(data, 'preserveText'),
  };
  const known = Object.entries(facts).filter(([, fact]) => fact !== undefined);
  draft.error('ENGINE_RETRY', message, unit, Object.fromEntries(known.map(([name, fact]) => [name, taken(fact)])));
}
