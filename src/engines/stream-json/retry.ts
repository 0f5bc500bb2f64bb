import type { Drafter } from '../drafter.ts';
import { fieldOf, integerOf, type JsonObject, taken, textOf } from '../json-value.ts';
import type { Unit } from '../unit.ts';
import { describeFailure } from './failure.ts';

/** The engine sends a request again: `api_retry` and `api_error` of claude, `retry` of qwen, each with its own fields. */
export function readRetry(draft: Drafter, event: JsonObject, unit: Unit): void {
  const { error, data } = event;
  const kind = textOf(error) ?? textOf(fieldOf(error, 'type'));
  const status = integerOf(event.error_status) ?? integerOf(fieldOf(error, 'status'));
  const text = textOf(fieldOf(error, 'message')) ?? kind ?? 'the request to the model failed';
  const { message, facts: cause } = describeFailure(text, { kind, status });
  const facts: Record<string, unknown> = {
    attempt: event.attempt ?? event.retry_attempt,
    max_retries: event.max_retries,
    retry_delay_ms: event.retry_delay_ms ?? event.retry_in_ms,
    discarded_tool_calls: fieldOf(data, 'discardedToolCalls'),
    preserved_text: fieldOf(data, 'preserveText'),
  };
  const known = Object.entries(facts).filter(([, fact]) => fact !== undefined);
  const told = Object.fromEntries(known.map(([name, fact]) => [name, taken(fact)]));
  draft.error('ENGINE_RETRY', message, unit, { ...told, ...cause });
}
