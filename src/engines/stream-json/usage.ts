import type { Usage } from '../../protocol/index.ts';
import { billedUsage, type Counting } from '../billed-usage.ts';
import { fieldOf, isObject, numberOf, taken } from '../json-value.ts';
import { RecentMap } from '../recent-map.ts';

const NAMES: Readonly<Record<string, string>> = {
  cache_read_input_tokens: 'cached_input_tokens',
  cache_creation_input_tokens: 'cache_write_tokens',
};
/** What a call to the model is billed for. */
const BILLED = ['input_tokens', 'cached_input_tokens', 'cache_write_tokens', 'output_tokens'] as const;
/** Always numbers, and numbers that can be added. */
const COUNTS = new Set<string>([...BILLED, 'total_tokens', 'reasoning_tokens', 'cost_usd']);

/** In the protocol's words, other fields as they are; null if it is not usage, or counts are not numbers. */
export function usageOf(value: unknown, counting: Counting = {}): Usage | null {
  if (!isObject(value)) return null;
  const usage: Usage = {};
  for (const [theirs, amount] of Object.entries(value)) {
    const name = NAMES[theirs] ?? theirs;
    if (amount === null || amount === undefined) continue;
    if (COUNTS.has(name) && numberOf(amount) === null) return null;
    usage[name] = taken(amount);
  }
  return billedUsage(usage, counting);
}

/** One turn's usage on top of that of the turns before. */
export function addUsage(before: Usage | null, turn: Usage): Usage {
  const sum: Usage = { ...turn };
  for (const name of COUNTS) {
    const earlier = numberOf(before?.[name]);
    if (earlier !== null) sum[name] = bounded(earlier + (numberOf(turn[name]) ?? 0));
  }
  return sum;
}

const OF_MODEL = {
  inputTokens: 'input_tokens',
  cacheReadInputTokens: 'cached_input_tokens',
  cacheCreationInputTokens: 'cache_write_tokens',
  outputTokens: 'output_tokens',
  costUSD: 'cost_usd',
} as const;

/** Sums over all models, with those of helpers and sub-agents; empty where no model is listed. */
export function modelUsageOf(models: unknown): Usage {
  const sum: Usage = {};
  for (const model of isObject(models) ? Object.values(models) : []) {
    for (const [theirs, name] of Object.entries(OF_MODEL)) {
      const amount = numberOf(fieldOf(model, theirs));
      if (amount !== null) sum[name] = bounded((sum[name] ?? 0) + amount);
    }
  }
  return billedUsage(sum);
}

export interface CallUsage {
  /** Usage of all calls so far; null before one was reported. */
  readonly sum: Usage | null;
  /** The pieces of a message begin, the answer to one call. */
  begin(parent: string | null, messageId: string | null): void;
  /** A report about the message, or about the one whose pieces come. True when the sum has grown by it. */
  report(parent: string | null, messageId: string | null, usage: Usage | null): boolean;
}

/**
 * What was used before the result says so. A message is reported several times, each time with the call's usage so far,
 * so the largest amounts count.
 */
export function createCallUsage(): CallUsage {
  const current = new RecentMap<string | null, string>();
  const reported = new RecentMap<string, Usage>();
  let sum: Usage | null = null;

  return {
    get sum() {
      return sum;
    },
    begin(parent, messageId) {
      if (messageId === null) current.delete(parent);
      else current.set(parent, messageId);
    },
    report(parent, messageId, usage) {
      const id = messageId ?? current.get(parent);
      if (id === undefined || usage === null) return false;
      const known = reported.get(id) ?? {};
      const most: Usage = { ...known };
      const total: Usage = { ...sum };
      let grown = false;
      for (const name of BILLED) {
        const [before, now] = [numberOf(known[name]) ?? 0, numberOf(usage[name]) ?? 0];
        if (now <= before) continue;
        grown = true;
        most[name] = now;
        total[name] = bounded((numberOf(total[name]) ?? 0) + now - before);
      }
      reported.set(id, most);
      const { total_tokens: _sumBefore, ...counts } = total;
      if (grown) sum = billedUsage({ input_tokens: 0, output_tokens: 0, ...counts });
      return grown;
    },
  };
}

function bounded(amount: number): number {
  return Math.min(amount, Number.MAX_VALUE);
}
