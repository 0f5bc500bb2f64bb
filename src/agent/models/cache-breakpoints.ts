import type { SharedV3ProviderOptions } from '@ai-sdk/provider';
import type { ModelTool, PromptMessage } from './model.ts';

/** Anthropic caches everything up to a marked place, and takes at most four marks. */
const MARK: SharedV3ProviderOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } };

/**
 * Marks the tools, the system prompt, where the prompt of the step before ended, and the end of this prompt. The mark at
 * the former end matters when a step adds more blocks than the service looks back over. Contents never change by a mark,
 * so the cached beginning stays the same from step to step.
 */
export function withCacheBreakpoints({ prompt, tools }: { prompt: PromptMessage[]; tools: readonly ModelTool[] }): {
  prompt: PromptMessage[];
  tools: ModelTool[];
} {
  const last = prompt.length - 1;
  const system = prompt.findLastIndex(({ role }) => role === 'system');
  const answer = prompt.findLastIndex(({ role }) => role === 'assistant');
  const marked = [...prompt];
  for (const index of new Set([system, answer - 1, last])) {
    const message = marked[index];
    if (message !== undefined && message.content.length > 0) marked[index] = mark(message);
  }
  return { prompt: marked, tools: tools.map((tool, index) => (index === tools.length - 1 ? mark(tool) : tool)) };
}

function mark<T extends { providerOptions?: SharedV3ProviderOptions }>(item: T): T {
  const own = item.providerOptions;
  return { ...item, providerOptions: { ...own, anthropic: { ...own?.anthropic, ...MARK.anthropic } } };
}
