/** The tokens of one call. */
export interface Tokens {
  /** Input that is neither read from a cache nor written to one. */
  input: number;
  cacheRead: number;
  /** Only Anthropic bills it. */
  cacheWrite: number;
  output: number;
  /** Part of the output, except with Gemini, which counts it separately. */
  reasoning: number;
}

/** Token counts are made up and constant, so that tests can compare them. */
export const TOKENS: Tokens = { input: 100, cacheRead: 0, cacheWrite: 0, output: 20, reasoning: 5 };

/** The n-th call of a conversation whose earlier parts are cached: no two calls cost the same. */
export function tokensOfCachedCall(n: number): Tokens {
  return { input: 100 + n, cacheRead: 1000 * n, cacheWrite: 10 * n, output: 20 + n, reasoning: 5 };
}

/** What a call is billed for, in the words of the records of runs. */
export interface Bill {
  input_tokens: number;
  cached_input_tokens: number;
  cache_write_tokens: number;
  output_tokens: number;
}

/** The bill of a service that charges nothing for writing to its cache. */
export function billOf({ input, cacheRead, output }: Tokens): Bill {
  return { input_tokens: input, cached_input_tokens: cacheRead, cache_write_tokens: 0, output_tokens: output };
}
