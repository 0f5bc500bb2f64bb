import type { AssistantPart, ToolResult } from '../../protocol/index.ts';
import type { PromptMessage } from '../models/model.ts';
import type { CallState, HistoryItem } from './state.ts';

type AssistantContent = Extract<PromptMessage, { role: 'assistant' }>['content'];
type ToolContent = Extract<PromptMessage, { role: 'tool' }>['content'];
type ProviderOptions = NonNullable<PromptMessage['providerOptions']>;

export function userItem(text: string, source: string, { pinned = false }: { pinned?: boolean } = {}): HistoryItem {
  return { message: { role: 'user', content: [{ type: 'text', text }] }, chars: text.length, source, pinned };
}

/** A response as the provider wants it back, with its own data about each part. */
export function assistantItem(parts: readonly AssistantPart[], step: number): HistoryItem {
  let chars = 0;
  const content: AssistantContent = [];
  for (const part of parts) {
    const own = part.meta === undefined ? {} : { providerOptions: part.meta as ProviderOptions };
    if (part.type === 'tool_call') {
      const input = inputOf(part);
      chars += lengthOf(input);
      content.push({ type: 'tool-call', toolCallId: part.call_id, toolName: part.name, input, ...own });
      continue;
    }
    chars += part.text.length;
    // Providers reject an empty text; a reasoning part may be empty and still carry a signature.
    if (part.text !== '' || part.meta !== undefined) content.push({ type: part.type, text: part.text, ...own });
  }
  return { message: { role: 'assistant', content }, chars, source: `step:${step}`, pinned: false };
}

/** Providers take objects only; what the model wrote is quoted back to it. */
function inputOf({ arguments: given, invalid }: Extract<AssistantPart, { type: 'tool_call' }>): unknown {
  if (invalid !== undefined) return { invalid_json: given };
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
  return isObject ? given : { not_an_object: given };
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let length = 2;
  for (const key in value) length += key.length + 4 + lengthOf((value as Record<string, unknown>)[key]);
  return length;
}

/** The results of a turn, in the order of its calls. */
export function resultsItem(turn: readonly CallState[], step: number): HistoryItem {
  let chars = 0;
  const content: ToolContent = turn.map(({ part, result }) => {
    const value = resultText(result!);
    chars += value.length;
    const type = result!.ok ? 'text' : 'error-text';
    return { type: 'tool-result', toolCallId: part.call_id, toolName: part.name, output: { type, value } };
  });
  return { message: { role: 'tool', content }, chars, source: `tools:${step}`, pinned: false };
}

/** What the model reads of a result. */
export function resultText({ ok, stdout, stderr, exit_code, truncated, data, error_kind }: ToolResult): string {
  const lines: string[] = [];
  if (!ok) lines.push(exit_code === null ? `error: ${error_kind}` : `error: ${error_kind} (exit code ${exit_code})`);
  if (stdout !== '') lines.push(stdout);
  if (stderr !== '') lines.push(ok || stdout !== '' ? `[stderr]\n${stderr}` : stderr);
  if (truncated) lines.push('[output truncated]');
  if (stdout === '' && data !== null) lines.push(JSON.stringify(data));
  return lines.join('\n');
}
