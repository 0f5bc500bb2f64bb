import type { JsonObject } from './json-value.ts';

/** What the model says, before a protocol puts it into its own form. */
export interface Answer {
  reasoning: string;
  text: string;
  toolCall: ToolCall | null;
}

export type ToolCall =
  | { kind: 'function'; name: string; arguments: JsonObject }
  | { kind: 'custom'; name: string; input: string };

export function sayText(text: string, reasoning = ''): Answer {
  return { reasoning, text, toolCall: null };
}
