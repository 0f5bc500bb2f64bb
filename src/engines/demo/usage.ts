import type { Usage } from '../../protocol/index.ts';
import { type JsonObject, numberOf } from '../json-value.ts';

/** The format uses the protocol's own names; what is no amount is not usage. */
export function usageOf(amounts: JsonObject): Usage {
  const usage: Usage = {};
  for (const [name, value] of Object.entries(amounts)) {
    const amount = numberOf(value);
    if (amount !== null) usage[name] = amount;
  }
  return usage;
}
