import { totalTokens, type Usage } from '../protocol/index.ts';

/** 950 ms, 4.2 s, 3 min 20 s, 2 h 5 min */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** Tokens and cost; '' for each that is unknown. */
export function usageFacts(usage: Usage | null): string[] {
  if (!usage) return [];
  const { input_tokens: input, output_tokens: output, cost_usd: cost } = usage;
  const total = totalTokens(usage);
  const parts = [
    ...(input === undefined ? [] : [`${formatCount(input)} in`]),
    ...(usage.cached_input_tokens ? [`${formatCount(usage.cached_input_tokens)} cache read`] : []),
    ...(usage.cache_write_tokens ? [`${formatCount(usage.cache_write_tokens)} cache write`] : []),
    ...(output === undefined ? [] : [`${formatCount(output)} out`]),
  ];
  const tokens = total === null ? '' : `${formatCount(total)} tokens`;
  return [
    tokens && parts.length > 0 ? `${tokens} (${parts.join(', ')})` : tokens,
    cost === undefined ? '' : formatCost(cost),
  ];
}

/** 240, 9,999 as 9999, 24.0k, 1.2M */
function formatCount(value: number): string {
  if (value < 10_000) return String(value);
  return value < 1e6 ? `${(value / 1e3).toFixed(1)}k` : `${(value / 1e6).toFixed(1)}M`;
}

function formatCost(usd: number): string {
  if (usd > 0 && usd < 0.0001) return '<$0.0001';
  return `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}
