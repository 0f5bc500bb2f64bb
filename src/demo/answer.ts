import type { JsonObject } from './json-value.ts';
import { TOKENS, type Tokens } from './wire/usage.ts';

/** The model's answer, independent of the protocol. */
export interface Answer {
  reasoning: string;
  text: string;
  toolCall: ToolCall | null;
  tokens: Tokens;
}

export type ToolCall =
  | { kind: 'function'; name: string; arguments: JsonObject }
  | { kind: 'custom'; name: string; input: string };

export function sayText(text: string, reasoning = ''): Answer {
  return { reasoning, text, toolCall: null, tokens: TOKENS };
}
