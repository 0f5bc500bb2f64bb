import * as z from 'zod';
import { rawRefSchema } from './raw-ref.ts';

export const completionStateSchema = z.enum(['completed', 'awaiting_user_input', 'interrupted', 'unknown']);
export type CompletionState = z.infer<typeof completionStateSchema>;

/** Why tacho itself ended an attempt; such an attempt is `interrupted` whatever was printed. */
export const endedByUsSchema = z.enum([
  'hard_timeout',
  'no_progress',
  'auth_rejected',
  'canceled',
  'budget',
  'output_cap',
  'disk_full',
  'recording_failed',
]);
export type EndedByUs = z.infer<typeof endedByUsSchema>;

/** How an attempt ended, which rule said so, and on what evidence. */
export const completionSchema = z.strictObject({
  state: completionStateSchema,
  reason_code: z.string(),
  rule: z.int().min(0).max(5).describe('Number of the rule that matched; rules are tried in order.'),
  source: z.enum(['tacho', 'done_signal', 'process', 'engine', 'marker', 'imported', 'none']),
  confidence: z.number().min(0).max(1),
  needs_user_input: z.boolean(),
  diagnostics: z.array(z.string()),
  evidence: z.array(z.strictObject({ kind: z.string(), detail: z.string(), raw_ref: rawRefSchema })),
});
export type Completion = z.infer<typeof completionSchema>;

/** How an attempt ended in the words of the recorder that it was imported from. */
export type ClaimedCompletion = Pick<Completion, 'state' | 'reason_code'>;
