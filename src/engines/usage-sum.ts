import type { Usage } from '../protocol/index.ts';
import { numberOf } from './json-value.ts';

/** Adds up what an engine tells of each step, for engines that tell no total of their own. */
export function createUsageSum(): (amounts: Readonly<Record<string, unknown>>) => Usage {
  const sum: Record<string, number> = {};
  return (amounts) => {
    for (const [name, value] of Object.entries(amounts)) {
      const total = (sum[name] ?? 0) + (numberOf(value) ?? Number.NaN);
      // What is no number, or too large for one, is not counted.
      if (Number.isFinite(total)) sum[name] = total;
    }
    return { ...sum };
  };
}
