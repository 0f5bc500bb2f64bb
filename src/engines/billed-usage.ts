import type { Usage } from '../protocol/index.ts';

/** In what engines differ. */
export interface Counting {
  /** Input that was read from a cache, or written to one, is counted as input as well. */
  cachedInInput?: boolean;
  /** Thoughts are not counted as output, though they are billed as such. */
  reasoningApart?: boolean;
}

/**
 * Usage in the protocol's sense: input, cache reads, cache writes and output do not overlap, and `total_tokens` is their
 * sum. A higher total that the engine reports itself counts: it bills more than it lists.
 */
export function billedUsage(reported: Usage, { cachedInInput = false, reasoningApart = false }: Counting = {}): Usage {
  const { input_tokens: input, output_tokens: output, total_tokens: total } = reported;
  if (input === undefined && output === undefined) return reported;
  const read = reported.cached_input_tokens ?? 0;
  const written = reported.cache_write_tokens ?? 0;
  const fresh = cachedInInput ? Math.max(0, (input ?? 0) - read - written) : (input ?? 0);
  const said = (output ?? 0) + (reasoningApart ? (reported.reasoning_tokens ?? 0) : 0);
  const sum = Math.min(fresh + read + written + said, Number.MAX_VALUE);
  return {
    ...reported,
    ...(input === undefined ? {} : { input_tokens: fresh }),
    ...(output === undefined ? {} : { output_tokens: said }),
    total_tokens: Math.max(sum, total ?? 0),
  };
}
