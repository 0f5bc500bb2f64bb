import {
  type EndedByUs,
  type RaspData,
  type RaspDraft,
  type RunLimits,
  reportUsage,
  totalTokens,
  totalUsage,
  type UsageTally,
} from '../../protocol/index.ts';

/** Limits that end an attempt. */
export interface AttemptLimits {
  timeoutMs: number | null;
  noProgressMs: number | null;
  /** Maximum output. */
  outputBytes: number | null;
  /** Maximum usage, as reported by the engine. */
  budget: Pick<RunLimits, 'total_tokens' | 'cost_usd'>;
}

export interface WatchdogOptions extends Pick<AttemptLimits, 'timeoutMs' | 'noProgressMs'> {
  /** Milliseconds since the last progress. */
  silentFor(): number;
  end(reason: EndedByUs): void;
}

/**
 * Ends an attempt that takes too long or makes no progress. Ends it once, since a second call would skip the grace
 * period. Returns a function that stops the watchdogs.
 */
export function startWatchdogs({ timeoutMs, noProgressMs, silentFor, end }: WatchdogOptions): () => void {
  const timers: NodeJS.Timeout[] = [];
  const callOff = () => timers.forEach(clearTimeout);
  const bite = (reason: EndedByUs) => {
    callOff();
    end(reason);
  };
  if (timeoutMs !== null) timers.push(setTimeout(() => bite('hard_timeout'), timeoutMs));
  if (noProgressMs !== null) {
    const check = () => {
      if (silentFor() >= noProgressMs) bite('no_progress');
    };
    timers.push(setInterval(check, Math.min(1000, Math.max(10, noProgressMs / 10))));
  }
  return callOff;
}

/** The limit exceeded by the output and these new events, if any. */
export function exceededLimit(
  { outputBytes, budget }: AttemptLimits,
  recordedBytes: number,
  reported: { drafts: readonly RaspDraft[]; usage: UsageTally },
): EndedByUs | null {
  if (outputBytes !== null && recordedBytes > outputBytes) return 'output_cap';
  return isOverBudget(reported, budget) ? 'budget' : null;
}

/** True when these events report usage that, with earlier attempts, exceeds the run's budget. */
export function isOverBudget(
  { drafts, usage: known }: { drafts: readonly RaspDraft[]; usage: UsageTally },
  budget: AttemptLimits['budget'],
): boolean {
  if (budget.total_tokens === undefined && budget.cost_usd === undefined) return false;
  return drafts.some(({ event, data }) => {
    if (event.type !== 'lifecycle.run.status') return false;
    return exceedsBudget(reportUsage(known, data as RaspData<'lifecycle.run.status'>), budget);
  });
}

/** True when the attempt has reported usage that, with earlier attempts, exceeds the run's budget. */
export function exceedsBudget(tally: UsageTally, { total_tokens, cost_usd }: AttemptLimits['budget']): boolean {
  const usage = tally.own && totalUsage(tally);
  if (!usage) return false;
  if (total_tokens !== undefined && (totalTokens(usage) ?? 0) > total_tokens) return true;
  return cost_usd !== undefined && (usage.cost_usd ?? 0) > cost_usd;
}
