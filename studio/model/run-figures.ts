import { type RunView, totalTokens, type Usage } from '../../src/protocol/index.ts';
import { isTerminal, isWaiting } from '../../src/record/index.ts';

/** All tokens an engine reported; null if it reported none, which is not the same as 0. */
export function tokensOf(usage: Usage | null): number | null {
  return usage === null ? null : totalTokens(usage);
}

export function costOf(usage: Usage | null): number | null {
  return usage?.cost_usd ?? null;
}

/** `940`, `12.3k`, `4.1M`. */
export function shortCount(count: number): string {
  if (count < 1000) return String(Math.round(count));
  const [value, unit] = count < 999_950 ? [count / 1000, 'k'] : [count / 1_000_000, 'M'];
  return `${value < 99.95 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value)}${unit}`;
}

/** `$0.04`; less than a cent keeps its digits: `$0.0021`. */
export function dollars(cost: number): string {
  return `$${cost === 0 || cost >= 0.01 ? cost.toFixed(2) : cost.toPrecision(2)}`;
}

/** `9 800`: digits grouped in a language-neutral way. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

/** How long a run has been working. Waiting for a user or in the queue does not count. */
export function lastedMs(run: RunView, now: number): number {
  if (run.times) {
    const { working_ms, since } = run.times;
    return working_ms + (run.status === 'running' ? Math.max(0, now - Date.parse(since)) : 0);
  }
  const rests = isTerminal(run.status) || isWaiting(run.status);
  const end = rests ? Date.parse(run.last?.ended_at ?? run.updated_at) : now;
  return Math.max(0, end - Date.parse(run.created_at));
}
