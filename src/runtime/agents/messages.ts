import * as z from 'zod';
import {
  agentIdSchema,
  agentSetupSchema,
  agentUseSchema,
  budgetsSchema,
  childUseSchema,
  type ErrorCode,
  EXIT_CODES,
  exhaustedBudgetSchema,
} from '../../protocol/index.ts';

/**
 * What the daemon and the process of an agent send each other: one JSON object per line over its stdin and stdout. The
 * first one is the order.
 */
export const childOrderSchema = z.strictObject({
  workspace: z.string(),
  run_id: agentIdSchema,
  how: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('start'),
      task: z.string(),
      parent: z.strictObject({ runId: agentIdSchema, callId: z.string(), walLocator: z.string() }).nullable(),
    }),
    z.strictObject({ kind: z.literal('resume') }),
    z.strictObject({ kind: z.literal('close'), reason: z.string() }),
  ]),
  tools: z.array(z.string()).nullable(),
  model: z.string().nullable(),
  setup: agentSetupSchema,
});
export type ChildOrderMessage = z.infer<typeof childOrderSchema>;

export const toChildSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('send'), id: z.int(), text: z.string(), interrupt: z.boolean() }),
  z.strictObject({ type: z.literal('close'), reason: z.string() }),
  z.strictObject({ type: z.literal('charge'), use: childUseSchema }),
  z.strictObject({ type: z.literal('reserved'), id: z.int(), exhausted: exhaustedBudgetSchema.nullable() }),
]);
export type ToChild = z.infer<typeof toChildSchema>;

const problemSchema = z.strictObject({
  code: z.enum(Object.keys(EXIT_CODES) as [ErrorCode, ...ErrorCode[]]),
  message: z.string(),
  fix: z.string().nullable(),
});
export type ChildProblem = z.infer<typeof problemSchema>;

export const fromChildSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('begun'), budgets: budgetsSchema }),
  z.strictObject({ type: z.literal('failed'), problem: problemSchema }),
  z.strictObject({ type: z.literal('sent'), id: z.int(), problem: problemSchema.nullable() }),
  z.strictObject({ type: z.literal('used'), used: agentUseSchema }),
  z.strictObject({ type: z.literal('reserve'), id: z.int(), used: agentUseSchema, isNew: z.boolean() }),
]);
export type FromChild = z.infer<typeof fromChildSchema>;
