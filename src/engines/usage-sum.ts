import type { Usage } from '../protocol/index.ts';
import { billedUsage, type Counting } from './billed-usage.ts';
import { numberOf } from './json-value.ts';

/** Adds up what an engine reports for each step, for engines that report no total. */
export function createUsageSum(counting: Counting = {}): (amounts: Readonly<Record<string, unknown>>) => Usage {
  const sum: Record<string, number> = {};
  return (amounts) => {
    for (const [name, value] of Object.entries(amounts)) {
      const total = (sum[name] ?? 0) + (numberOf(value) ?? Number.NaN);
      // A value that is not a number, or is too large for one, is not counted.
      if (Number.isFinite(total)) sum[name] = total;
    }
    return billedUsage({ ...sum }, counting);
  };
}
