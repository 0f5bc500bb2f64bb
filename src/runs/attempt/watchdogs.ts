import {
  type EndedByUs,
  type RaspData,
  type RaspDraft,
  type RunLimits,
  reportUsage,
  totalUsage,
  type UsageTally,
} from '../../protocol/index.ts';

/** What ends an attempt that goes too far. */
export interface AttemptLimits {
  timeoutMs: number | null;
  noProgressMs: number | null;
  /** More output than this. */
  outputBytes: number | null;
  /** More than this, as the engine tells it. */
  budget: Pick<RunLimits, 'total_tokens' | 'cost_usd'>;
}

export interface WatchdogOptions extends Pick<AttemptLimits, 'timeoutMs' | 'noProgressMs'> {
  /** Milliseconds since the last sign of life. */
  silentFor(): number;
  end(reason: EndedByUs): void;
}

/** An engine that only says that it tries again makes no progress, however often it says so. */
export function isOnlyRetry(drafts: readonly RaspDraft[]): boolean {
  let retries = 0;
  for (const { event, data } of drafts) {
    if (event.type === 'diagnostic.engine.error' && (data as { code: string }).code === 'ENGINE_RETRY') retries++;
    else if (event.category !== 'raw') return false;
  }
  return retries > 0;
}

/**
 * Ends an attempt that takes too long or stands still, once: a second end would cut the grace short. The returned
 * function calls the dogs off.
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
    const look = () => {
      if (silentFor() >= noProgressMs) bite('no_progress');
    };
    timers.push(setInterval(look, Math.min(1000, Math.max(10, noProgressMs / 10))));
  }
  return callOff;
}

/** The limit that the output and these new events exceed, if any. */
export function exceededLimit(
  { outputBytes, budget }: AttemptLimits,
  recordedBytes: number,
  reported: { drafts: readonly RaspDraft[]; usage: UsageTally },
): EndedByUs | null {
  if (outputBytes !== null && recordedBytes > outputBytes) return 'output_cap';
  return isOverBudget(reported, budget) ? 'budget' : null;
}

/** True when an engine has just told of more usage, with the attempts before, than the run may have. */
export function isOverBudget(
  { drafts, usage: known }: { drafts: readonly RaspDraft[]; usage: UsageTally },
  { total_tokens, cost_usd }: Pick<RunLimits, 'total_tokens' | 'cost_usd'>,
): boolean {
  if (total_tokens === undefined && cost_usd === undefined) return false;
  return drafts.some(({ event, data }) => {
    if (event.type !== 'lifecycle.run.status') return false;
    const usage = totalUsage(reportUsage(known, data as RaspData<'lifecycle.run.status'>));
    if (!usage) return false;
    const tokens = usage.total_tokens ?? (usage.input_tokens ?? 0) + (usage.output_tokens ?? 0);
    if (total_tokens !== undefined && tokens > total_tokens) return true;
    return cost_usd !== undefined && (usage.cost_usd ?? 0) > cost_usd;
  });
}
