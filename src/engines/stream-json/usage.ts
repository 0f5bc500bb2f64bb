import type { Usage } from '../../protocol/index.ts';
import { isObject, numberOf, taken } from '../json-value.ts';

const NAMES: Readonly<Record<string, string>> = { cache_read_input_tokens: 'cached_input_tokens' };
/** Always numbers, and numbers that can be added. */
const COUNTS = new Set([
  'input_tokens',
  'output_tokens',
  'total_tokens',
  'cached_input_tokens',
  'cache_creation_input_tokens',
  'reasoning_tokens',
]);

/** In the protocol's words, other fields as they are; null if it is not usage, or counts are not numbers. */
export function usageOf(value: unknown): Usage | null {
  if (!isObject(value)) return null;
  const usage: Usage = {};
  for (const [theirs, amount] of Object.entries(value)) {
    const name = NAMES[theirs] ?? theirs;
    if (amount === null || amount === undefined) continue;
    if ((COUNTS.has(name) || name === 'cost_usd') && numberOf(amount) === null) return null;
    usage[name] = taken(amount);
  }
  return usage;
}

/** One turn's usage on top of that of the turns before. */
export function addUsage(before: Usage | null, turn: Usage): Usage {
  const sum: Usage = { ...turn };
  for (const name of COUNTS) {
    const earlier = numberOf(before?.[name]);
    if (earlier !== null) sum[name] = Math.min(earlier + (numberOf(turn[name]) ?? 0), Number.MAX_VALUE);
  }
  return sum;
}
