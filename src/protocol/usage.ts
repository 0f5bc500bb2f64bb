import * as z from 'zod';

/**
 * What an engine used. Input, cache reads, cache writes and output do not overlap, whatever the engine calls them; all of
 * them are billed, and `total_tokens` is their sum. In an event, `usage` counts the attempt so far; `session_usage`
 * counts the engine's session so far, with the attempts before, because some engines report nothing else (codex and
 * qwen; of claude the cost and the tokens of sub-agents). In `meta.N.json` usage is that of the attempt, in a run's
 * record and view the sum over its attempts. Fields of an engine's own are kept as they are.
 */
export const usageSchema = z.looseObject({
  input_tokens: z.number().optional().describe('Input that was neither read from a cache nor written to one.'),
  cached_input_tokens: z.number().optional().describe('Input read from a cache.'),
  cache_write_tokens: z.number().optional().describe('Input written to a cache.'),
  output_tokens: z.number().optional(),
  reasoning_tokens: z.number().optional().describe('Of the output: thoughts.'),
  total_tokens: z.number().optional().describe('All that is billed; what a token budget counts.'),
  cost_usd: z.number().optional(),
});
export type Usage = z.infer<typeof usageSchema>;

/** The parts of a run's usage, so that a further report can be added. */
export const usageTallySchema = z.strictObject({
  attempt: z.int().min(0).describe('The attempt that reports now.'),
  before: usageSchema.nullable().describe('The sum of the attempts before it.'),
  own: usageSchema.nullable().describe('Of that attempt alone.'),
  session_before: usageSchema.nullable().describe('Usage of the session when the attempt began.'),
  session_now: usageSchema.nullable().describe('Usage of the session as last reported.'),
});
export type UsageTally = z.infer<typeof usageTallySchema>;
