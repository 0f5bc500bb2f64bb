import type { Usage } from '../../protocol/index.ts';
import { billedUsage } from '../billed-usage.ts';
import { isObject, numberOf } from '../json-value.ts';

const NAMES: Readonly<Record<string, string>> = {
  reasoning_output_tokens: 'reasoning_tokens',
  cache_write_input_tokens: 'cache_write_tokens',
};

/** Amounts in the protocol's words; a value that is not an amount is not usage, and the line has it anyway. */
export function usageOf(value: unknown): Usage | null {
  if (!isObject(value)) return null;
  const usage: Usage = {};
  for (const [name, amount] of Object.entries(value)) {
    const number = numberOf(amount);
    if (number !== null) usage[NAMES[name] ?? name] = number;
  }
  return billedUsage(usage, { cachedInInput: true });
}
