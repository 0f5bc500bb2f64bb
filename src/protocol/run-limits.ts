import * as z from 'zod';

/** Text that can be handed to a program. */
export const text = (most: number) =>
  z
    .string()
    .max(most)
    .refine((value) => !value.includes('\0'), 'holds a NUL character');

export const limitsSchema = z.strictObject({
  timeout_ms: z.int().min(1).max(2_073_600_000).optional().describe('Ends an attempt after this long.'),
  no_progress_timeout_ms: z.int().min(1).max(2_073_600_000).optional(),
  max_attempts: z.int().min(1).max(1000).optional(),
  output_bytes: z.int().min(1).optional().describe('Ends an attempt that printed more than this.'),
  total_tokens: z.int().min(1).optional().describe('Ends a run whose engine reports more tokens than this.'),
  cost_usd: z.number().min(0).optional().describe('Ends a run whose engine reports a higher cost than this.'),
});
export type RunLimits = z.infer<typeof limitsSchema>;

export const autoReplySchema = z
  .strictObject({ after_ms: z.int().min(1).max(2_073_600_000), text: text(131_071) })
  .describe('What is answered when nobody answers a question for that long.');
export type AutoReply = z.infer<typeof autoReplySchema>;
