import * as z from 'zod';

/** What an engine says it used; fields of its own are kept as they are. */
export const usageSchema = z.looseObject({
  input_tokens: z.number().optional(),
  output_tokens: z.number().optional(),
  total_tokens: z.number().optional(),
  cached_input_tokens: z.number().optional(),
  reasoning_tokens: z.number().optional(),
  cost_usd: z.number().optional(),
});
export type Usage = z.infer<typeof usageSchema>;
