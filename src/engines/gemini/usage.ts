import type { Usage } from '../../protocol/index.ts';
import { billedUsage } from '../billed-usage.ts';
import { fieldOf, isObject, numberOf, taken } from '../json-value.ts';

/** What gemini calls the numbers of a model's tokens, in the words of the protocol. */
const TOKENS = {
  prompt: 'input_tokens',
  candidates: 'output_tokens',
  total: 'total_tokens',
  cached: 'cached_input_tokens',
  thoughts: 'reasoning_tokens',
} as const;

const STREAM_NUMBERS = {
  input_tokens: 'input_tokens',
  output_tokens: 'output_tokens',
  total_tokens: 'total_tokens',
  cached: 'cached_input_tokens',
  duration_ms: 'duration_ms',
  tool_calls: 'tool_calls',
} as const;

/** A document lists no calls, but it counts them. */
const DOCUMENT_CALLS = { totalCalls: 'tool_calls', totalFail: 'failed_tool_calls' } as const;

/** The `stats` of a result line, which are sums already; null when they are none. */
export function streamUsage(stats: unknown): Usage | null {
  if (!isObject(stats)) return null;
  const usage: Usage = {};
  for (const [name, word] of Object.entries(STREAM_NUMBERS)) {
    const amount = fieldOf(stats, name);
    if (amount === undefined) continue;
    const number = numberOf(amount);
    if (number === null) return null;
    usage[word] = number;
  }
  if (isObject(stats.models)) usage.models = taken(stats.models);
  const { input_tokens: input, output_tokens: output = 0, total_tokens: total } = usage;
  // Thoughts are in the total alone, and are billed as output.
  if (input !== undefined && total !== undefined) usage.output_tokens = Math.max(output, total - input);
  return billedUsage(usage, { cachedInInput: true });
}

/** The `stats` of a document: sums over its models; null when they are none. */
export function documentUsage(stats: unknown): Usage | null {
  const models = fieldOf(stats, 'models');
  if (!isObject(models)) return null;
  const usage: Record<string, number> = {};
  for (const [name, word] of Object.entries(DOCUMENT_CALLS)) {
    const calls = numberOf(fieldOf(stats, 'tools', name));
    if (calls !== null) usage[word] = calls;
  }
  for (const model of Object.values(models)) {
    for (const [name, word] of Object.entries(TOKENS)) {
      const amount = numberOf(fieldOf(model, 'tokens', name));
      const sum = numberOf((usage[word] ?? 0) + (amount ?? 0));
      if (amount !== null && sum !== null) usage[word] = sum;
    }
  }
  return billedUsage(usage, { cachedInInput: true, reasoningApart: true });
}

/** The model that did the work itself; others may have helped, such as one that chooses the model. */
export function mainModel(stats: unknown): string | null {
  const models = fieldOf(stats, 'models');
  const names = isObject(models) ? Object.keys(models) : [];
  const main = names.find((name) => fieldOf(models, name, 'roles', 'main') !== undefined);
  return main ?? (names.length === 1 ? names[0]! : null);
}
