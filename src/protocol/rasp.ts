import * as z from 'zod';
import { completionSchema } from './completion.ts';
import { RASP_VERSION } from './rasp-event.ts';
import { rawRefSchema, rawStreamSchema } from './raw-ref.ts';
import { unresolvedSchema } from './raw-text.ts';
import { engineReadingSchema } from './run/engine-definition.ts';
import { questionKindSchema, questionParts } from './run/question.ts';
import { runStatusSchema } from './run/run.ts';
import { runModeSchema } from './run/run-mode.ts';
import { shownRequestSchema } from './run/run-request.ts';
import { deliveredSkillSchema } from './skill/delivered-skill.ts';
import { toolKindSchema } from './tool-kind.ts';
import { usageSchema } from './usage.ts';

const toolCall = z.strictObject({
  call_id: z.string(),
  name: z.string(),
  kind: toolKindSchema.optional(),
  arguments: z.unknown().optional(),
  result: z.unknown().optional(),
  exit_code: z.int().nullable().optional(),
  duration_ms: z.number().optional(),
  started_at: z.iso
    .datetime()
    .optional()
    .describe('Time by the engine’s own clock, if it reports one; `ts` is when tacho read it.'),
  ended_at: z.iso.datetime().optional(),
});

const artifact = z.strictObject({
  path: z.string(),
  size: z.int().min(0).nullable(),
  sha256: z.string().nullable(),
  kind: z.enum(['file', 'directory', 'symlink', 'other']).optional(),
  changed_by: z
    .strictObject({
      call_id: z.string(),
      by: z.enum(['arguments', 'command', 'time']),
      confidence: z.number().min(0).max(1),
    })
    .optional()
    .describe('The tool call that changed it: named in its arguments or command line, or at work when it was written.'),
});

const diagnostic = z.looseObject({
  code: z.string(),
  message: z.string(),
  severity: z.enum(['info', 'warning', 'error']),
  confidence: z.number().min(0).max(1).optional(),
});

const raw = z.strictObject({
  text: z.string(),
  lines: z.int().min(0),
  coalesced: z.boolean().optional(),
  truncated: z
    .boolean()
    .optional()
    .describe('Only the beginning is here. The whole text follows from the bytes of `raw_ref` and the redactions.'),
  masked: z.int().min(1).optional().describe('How many of the bytes were masked.'),
  unresolved: unresolvedSchema
    .optional()
    .describe('Only in answers: why the whole text that was asked for is missing.'),
});

const userInputRequired = z.strictObject({
  interaction_id: z.string(),
  kind: questionKindSchema,
  prompt: z.string(),
  options: z.array(z.unknown()).optional(),
  ...questionParts,
});

/** One schema per event type; the keys are the vocabulary. */
export const raspDataSchemas = {
  'lifecycle.run.requested': z.strictObject({
    command: z.array(z.string()).min(1).describe('The command line, with the values of secrets masked.'),
    cwd: z.string(),
    session_id: z.string().nullable().describe('The engine session that is continued; null: a new one.'),
    mode: runModeSchema.optional(),
    request: shownRequestSchema
      .optional()
      .describe('The whole request, but only the beginning of the prompt, which follows as a separate event.'),
    reading: engineReadingSchema
      .optional()
      .describe('How the output is read, of an engine that the configuration defined.'),
    priority: z.int().optional().describe('Of an attempt that waits in the queue.'),
    imported: z
      .array(z.strictObject({ path: z.string(), bytes: z.int().min(0), sha256: z.string().regex(/^[0-9a-f]{64}$/) }))
      .optional()
      .describe('The files that an imported run was made from.'),
    watched: z
      .strictObject({ path: z.string() })
      .optional()
      .describe('The session file that `tacho watch` read the attempt from: tacho did not record the engine itself.'),
  }),
  'lifecycle.run.status': z.strictObject({
    status: runStatusSchema,
    phase: z.string().optional().describe('The engine’s own name for this phase.'),
    session_id: z.string().optional(),
    model: z.string().optional(),
    usage: usageSchema.optional().describe('Of this attempt so far.'),
    session_usage: usageSchema.optional().describe('Of the engine’s session so far, with the attempts before.'),
    reason_code: z.string().optional(),
  }),
  'lifecycle.run.skills': z.strictObject({
    skills: z.array(deliveredSkillSchema).describe('The skills that the engine got in this attempt.'),
  }),
  'lifecycle.completion.state': completionSchema.omit({ rule: true, evidence: true }).extend({
    exit_code: z.int().nullable().optional(),
    signal: z.string().nullable().optional(),
  }),
  'lifecycle.recording.checkpoint': z.strictObject({
    stream: rawStreamSchema,
    bytes: z.int().min(0),
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
  }),
  'agent.message.delta': z.strictObject({ message_id: z.string(), text: z.string() }),
  'agent.message.final': z.strictObject({
    message_id: z.string(),
    text: z.string(),
    structured_payload: z.unknown().optional(),
  }),
  'agent.reasoning.summary': z.strictObject({ message_id: z.string().optional(), text: z.string() }),
  'agent.plan.updated': z.strictObject({
    items: z.array(z.looseObject({ text: z.string(), status: z.string().optional() })),
  }),
  'interaction.user_input.required': userInputRequired,
  'interaction.reply.accepted': z.strictObject({
    interaction_id: z.string(),
    text: z.string(),
    answers: z.record(z.string(), z.string()).optional().describe('By the ids of the questions, if it was a form.'),
    source: z.string().optional(),
    idempotency: z
      .strictObject({ key: z.string(), digest: z.string().describe('Of the question and the reply.') })
      .optional(),
  }),
  'interaction.approval.requested': z.looseObject({ approval_id: z.string(), summary: z.string() }),
  'interaction.approval.decided': z.looseObject({ approval_id: z.string(), decision: z.string() }),
  'tool.call.started': toolCall,
  'tool.call.completed': toolCall,
  'tool.call.failed': toolCall,
  'artifact.created': artifact,
  'artifact.modified': artifact,
  'artifact.deleted': artifact,
  'diagnostic.parser.warning': diagnostic,
  'diagnostic.engine.error': diagnostic,
  'diagnostic.runtime.warning': diagnostic,
  'raw.stdout': raw,
  'raw.stderr': raw,
  'raw.pty': raw,
} as const;

export type RaspType = keyof typeof raspDataSchemas;
type CategoryOf<T extends RaspType> = T extends `${infer C}.${string}` ? C : never;
export type RaspCategory = CategoryOf<RaspType>;

const correlationSchema = z.looseObject({
  session_id: z.string().optional(),
  message_id: z.string().optional(),
  call_id: z.string().optional(),
  interaction_id: z.string().optional(),
  parent_seq: z.int().optional(),
  parent: z.string().optional().describe('Call id of the tool call (a sub-agent) inside which this happened.'),
});

const envelopeShape = {
  protocol_version: z.literal(RASP_VERSION),
  run_id: z.string(),
  seq: z.int().min(1),
  ts: z.iso.datetime(),
  attempt_number: z.int().min(1),
  source: z.strictObject({
    engine: z.string(),
    parser: z.string(),
    stream: rawStreamSchema.nullable(),
    confidence: z.number().min(0).max(1),
  }),
  correlation: correlationSchema,
  raw_ref: rawRefSchema,
  chain: z.string().regex(/^[0-9a-f]{64}$/),
};
export const raspEnvelopeSchema = z.strictObject({
  ...envelopeShape,
  event: z.strictObject({ category: z.string(), type: z.string() }),
  data: z.unknown(),
});
type Envelope = Omit<z.infer<typeof raspEnvelopeSchema>, 'event' | 'data'>;

export type RaspData<T extends RaspType> = z.infer<(typeof raspDataSchemas)[T]>;

/** An event as it stands in `events.jsonl`. */
export type RaspEvent<T extends RaspType = RaspType> = {
  [K in T]: Envelope & { event: { category: CategoryOf<K>; type: K }; data: RaspData<K> };
}[T];

/** An event before the journal has given it a place: no seq, no chain. */
export type RaspDraft<T extends RaspType = RaspType> = {
  [K in T]: Omit<RaspEvent<K>, 'protocol_version' | 'run_id' | 'seq' | 'chain'>;
}[T];

export function isRaspType(type: string): type is RaspType {
  return Object.hasOwn(raspDataSchemas, type);
}

/** Checks one parsed line of `events.jsonl`; throws a ZodError naming the field that is wrong. */
export function parseRaspEvent(value: unknown): RaspEvent {
  const envelope = raspEnvelopeSchema.parse(value);
  const { category, type } = envelope.event;
  if (!isRaspType(type) || type.slice(0, type.indexOf('.')) !== category) {
    throw new z.ZodError([
      { code: 'custom', path: ['event', 'type'], message: `unknown event type ${type}`, input: type },
    ]);
  }
  raspDataSchemas[type].parse(envelope.data);
  return envelope as RaspEvent;
}

/** The whole vocabulary as one schema, for export as JSON Schema. */
export function raspEventSchema(): z.ZodType {
  const variants = Object.entries(raspDataSchemas).map(([type, data]) =>
    z.strictObject({
      ...envelopeShape,
      event: z.strictObject({ category: z.literal(type.slice(0, type.indexOf('.'))), type: z.literal(type) }),
      data,
    }),
  );
  return z.union(variants);
}
