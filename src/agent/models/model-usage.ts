import type { LanguageModelV3Usage } from '@ai-sdk/provider';
import type { Usage } from '../../protocol/index.ts';

/** Tokens as a provider reports them, in the words of the records of runs; null if it reports none. */
export function modelUsage(reported: LanguageModelV3Usage | undefined): Usage | null {
  const { inputTokens: input, outputTokens: output, raw } = reported ?? {};
  const cached = count(input?.cacheRead);
  const written = count(input?.cacheWrite);
  const all = count(input?.total);
  const fresh = count(input?.noCache) ?? (all === null ? null : Math.max(0, all - (cached ?? 0) - (written ?? 0)));
  const reasoning = count(output?.reasoning);
  let answer = count(output?.total);
  if (fresh === null && answer === null) return null;
  // Some compatible servers count thoughts beside the output; the sum they state shows it.
  const stated = count((raw as { total_tokens?: unknown } | undefined)?.total_tokens);
  const sum = (fresh ?? 0) + (cached ?? 0) + (written ?? 0) + (answer ?? 0);
  if (reasoning !== null && reasoning > 0 && stated === sum + reasoning) answer = (answer ?? 0) + reasoning;
  return {
    input_tokens: fresh ?? 0,
    ...(cached === null ? {} : { cached_input_tokens: cached }),
    ...(written === null ? {} : { cache_write_tokens: written }),
    output_tokens: answer ?? 0,
    ...(reasoning === null ? {} : { reasoning_tokens: reasoning }),
    total_tokens: (fresh ?? 0) + (cached ?? 0) + (written ?? 0) + (answer ?? 0),
  };
}

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}
