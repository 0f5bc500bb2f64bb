import * as z from 'zod';
import { rawRefSchema } from './raw-ref.ts';
import { unresolvedSchema } from './raw-text.ts';
import { questionParts } from './run/question.ts';
import { runStatusSchema } from './run/run.ts';
import { toolKindSchema } from './tool-kind.ts';

/** FCMP, all a front end needs: one conversation, folded from RASP. */
export const FCMP_VERSION = 'fcmp/1.0';

const rawLines = z.strictObject({
  text: z.string(),
  lines: z.int().min(0),
  truncated: z
    .boolean()
    .optional()
    .describe('Only the beginning is here. The whole text follows from the bytes of `raw_ref` and the redactions.'),
  masked: z.int().min(1).optional().describe('With `truncated`: how many of the bytes were masked.'),
  unresolved: unresolvedSchema
    .optional()
    .describe('Only in answers: why the whole text that was asked for is missing.'),
});
const failure = z.strictObject({
  category: z.enum(['engine', 'parser', 'runtime', 'user']),
  code: z.string(),
  message: z.string(),
});

/** One schema per message type; the keys are the vocabulary. */
export const fcmpDataSchemas = {
  'conversation.started': z.strictObject({ session_id: z.string() }),
  'user.message': z.strictObject({
    text: z.string(),
    attempt: z.int().min(1),
    by: z.literal('tacho').optional().describe('Set for the repair turn of a skill, which no person wrote.'),
  }),
  'assistant.message.delta': z.strictObject({ message_id: z.string(), text: z.string() }),
  'assistant.message.final': z.strictObject({ message_id: z.string(), text: z.string(), format: z.string() }),
  'assistant.reasoning': z.strictObject({ text: z.string() }),
  'assistant.plan': z.strictObject({ items: z.array(z.unknown()) }),
  'assistant.tool_call': z.strictObject({
    call_id: z.string(),
    name: z.string(),
    kind: toolKindSchema.optional(),
    summary: z.string(),
    state: z.enum(['started', 'completed', 'failed']),
    duration_ms: z.number().optional(),
  }),
  'user.input.required': z.strictObject({
    interaction_id: z.string(),
    kind: z.string(),
    prompt: z.string(),
    options: z.array(z.unknown()).optional(),
    questions: questionParts.questions,
  }),
  'user.input.replied': z.strictObject({ interaction_id: z.string(), text: z.string() }),
  'approval.required': z.looseObject({ approval_id: z.string(), summary: z.string() }),
  'approval.decided': z.looseObject({ approval_id: z.string(), decision: z.string() }),
  'artifact.changed': z.strictObject({ path: z.string(), change: z.enum(['created', 'modified', 'deleted']) }),
  'diagnostic.warning': z.looseObject({ code: z.string(), message: z.string(), severity: z.string() }),
  'raw.stdout': rawLines,
  'raw.stderr': rawLines,
  'conversation.state.changed': z.strictObject({
    from: runStatusSchema.nullable(),
    to: runStatusSchema,
    reason_code: z.string(),
  }),
  'conversation.completed': z.strictObject({}),
  'conversation.failed': z.strictObject({ error: failure }),
  'conversation.canceled': z.strictObject({ reason_code: z.string() }),
} as const;

export type FcmpType = keyof typeof fcmpDataSchemas;

const envelopeShape = {
  protocol_version: z.literal(FCMP_VERSION),
  run_id: z.string(),
  seq: z.int().min(1),
  ts: z.iso.datetime(),
  engine: z.string(),
  meta: z.strictObject({
    attempt: z.int().min(1),
    confidence: z.number().min(0).max(1),
    rasp_seq: z.int().min(1),
  }),
  correlation: z.looseObject({}),
  raw_ref: rawRefSchema,
};
export const fcmpEnvelopeSchema = z.strictObject(envelopeShape);

/** A message as it stands in `conversation.jsonl`. */
export type FcmpMessage<T extends FcmpType = FcmpType> = {
  [K in T]: z.infer<typeof fcmpEnvelopeSchema> & { type: K; data: z.infer<(typeof fcmpDataSchemas)[K]> };
}[T];

/** The whole vocabulary as one schema, for export as JSON Schema. */
export function fcmpMessageSchema(): z.ZodType {
  const variants = Object.entries(fcmpDataSchemas).map(([type, data]) =>
    z.strictObject({ ...envelopeShape, type: z.literal(type), data }),
  );
  return z.union(variants);
}
