import * as z from 'zod';

export const budgetsSchema = z.strictObject({
  max_steps: z.int().min(1).nullable(),
  max_wall_ms: z.number().min(1).nullable(),
  max_tokens: z.int().min(1).nullable(),
  max_cost_usd: z.number().min(0).nullable(),
});
/** Limits of a run and its child agents; null means no limit. */
export type Budgets = z.infer<typeof budgetsSchema>;
export const BUDGETS = ['steps', 'wall_time', 'tokens', 'cost'] as const;
