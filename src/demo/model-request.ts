import type { JsonObject } from './json-value.ts';

/** A request to a model, independent of the protocol. */
export interface ModelRequest {
  model: string;
  /** One JSON document, a stream of server-sent events, or Gemini's stream as one JSON list. */
  transport: 'document' | 'events' | 'list';
  /** System and developer messages. */
  instructions: string;
  turns: Turn[];
  tools: DeclaredTool[];
  /** The one tool that the model must call. */
  forcedTool: string | null;
  /** The JSON schema of the answer. */
  answerSchema: JsonObject | null;
  /** Whether the client accepts reasoning. */
  wantsReasoning: boolean;
}

export interface Turn {
  role: 'user' | 'assistant' | 'tool';
  texts: string[];
}

export interface DeclaredTool {
  name: string;
  /** A custom tool takes free text instead of JSON arguments; a built-in one is run by the service and never called. */
  kind: 'function' | 'custom' | 'builtin';
  parameters: JsonObject;
}

/** The user's last text; null if there is none. */
export function lastPrompt(turns: readonly Turn[]): string | null {
  const users = turns.filter(({ role }) => role === 'user');
  const own = users.flatMap(({ texts }) => texts.filter((text) => !isInjected(text)));
  return own.at(-1) ?? users.at(-1)?.texts.at(-1) ?? null;
}

/** Number of tool results since the user's last message. */
export function toolResultsSincePrompt(turns: readonly Turn[]): number {
  const prompt = turns.findLastIndex(({ role, texts }) => role === 'user' && texts.some((text) => !isInjected(text)));
  return turns.slice(prompt + 1).filter(({ role }) => role === 'tool').length;
}

/** Agents add their own context to user messages, always as one element: `<environment_context>…`. */
function isInjected(text: string): boolean {
  const name = /^\s*<([a-zA-Z][\w-]*)[^>]*>/.exec(text)?.[1];
  return name !== undefined && text.trimEnd().endsWith(`</${name}>`);
}
