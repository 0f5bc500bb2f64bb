import * as z from 'zod';
import {
  completionStateSchema,
  DIAGNOSTIC_CODES,
  type DiagnosticCode,
  runModeSchema,
  toolKindSchema,
} from '../../src/protocol/index.ts';

const codes = z.array(z.enum(Object.keys(DIAGNOSTIC_CODES) as [DiagnosticCode, ...DiagnosticCode[]]));
const tokens = z.int().min(0);

/** `expected.json` of a fixture: what a parser must find, written by hand from the logs. */
export const expectedRunSchema = z.strictObject({
  session_id: z.string().nullable().describe('As the engine printed it; null if it never did.'),
  final_messages: z.array(z.string()).describe('Whole assistant texts in order, those before a tool call too.'),
  reasoning: z.array(z.string()),
  tools: z.array(z.strictObject({ name: z.string(), kind: toolKindSchema, state: z.enum(['completed', 'failed']) })),
  usage: z
    .strictObject({
      input_tokens: tokens,
      output_tokens: tokens,
      cached_input_tokens: tokens.optional(),
      cache_write_tokens: tokens.optional(),
      total_tokens: tokens.optional(),
      cost_usd: z.number().optional(),
    })
    .nullable()
    .describe('The last totals.'),
  errors: codes.describe('In order of first appearance, each code once.'),
  warnings: codes.optional().describe('Warnings of the parser, likewise; none unless listed.'),
  completion: z.record(runModeSchema, z.strictObject({ state: completionStateSchema, reason_code: z.string() })),
  coverage: z.number().min(0).max(1).describe('Share of the bytes that belong to a unit.'),
  pty: z
    .strictObject({ session_id: z.string().nullable() })
    .optional()
    .describe('The pty log is another run of the same case, so its session is another one.'),
});
export type ExpectedRun = z.infer<typeof expectedRunSchema>;
