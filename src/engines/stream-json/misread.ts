import type { JsonObject } from '../json-value.ts';
import type { Misread } from '../ndjson-parser.ts';

export function drifted(type: string): Misread {
  return { event_type: type, problem: 'unexpected shape' };
}

export function unknownType(type: string): Misread {
  return { event_type: type, problem: 'unknown type' };
}

/** The call inside which an event happened; null for the main agent, undefined if unknown. */
export function parentOf(event: JsonObject): string | null | undefined {
  const parent = event.parent_tool_use_id;
  if (parent === undefined || parent === null) return null;
  return typeof parent === 'string' ? parent : undefined;
}
