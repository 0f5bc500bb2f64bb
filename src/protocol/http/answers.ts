import * as z from 'zod';
import { rawStreamSchema } from '../raw-ref.ts';
import { metaSchema } from '../record/attempt-files.ts';
import { attemptResultSchema, validitySchema } from '../record/attempt-result.ts';
import { runSourceSchema, runStatusSchema } from '../run/run.ts';
import { usageSchema } from '../usage.ts';
import { approvalSchema, runViewSchema } from './messages.ts';

/** HTTP answers other than the types of `http.ts`. Exact; readers allow additional fields. */

/** A page of the list of runs. */
export const runPageSchema = z.strictObject({
  runs: z.array(runViewSchema),
  next_cursor: z.string().nullable(),
  total: z.int().min(0),
});
export type RunPage = z.infer<typeof runPageSchema>;

/** A page of events or messages. */
export const pageOf = <Event extends z.ZodType>(event: Event) =>
  z.strictObject({
    events: z.array(event),
    next_cursor: z.int().min(1).nullable().describe('Ask again with it; null at the end of what was asked for.'),
    total: z.int().min(0).describe('All there are in the run, whatever was asked for.'),
  });

const lineSchema = z.strictObject({
  line: z.int().min(1).describe('Counted from 1.'),
  byte_from: z.int().min(0),
  byte_to: z.int().min(0).describe('Without the line feed.'),
  text: z.string(),
  truncated: z.boolean().describe('The line is longer than the text shows.'),
});

export const searchAnswerSchema = z.strictObject({
  matches: z.array(
    z.strictObject({
      byte_from: z.int().min(0),
      byte_to: z.int().min(0),
      line: lineSchema.describe('The line it begins in; of a long one the part around it.'),
    }),
  ),
  next_from: z.int().min(0).nullable().describe('Where to continue; null when everything was searched.'),
  size: z.int().min(0),
});
export type SearchAnswer = z.infer<typeof searchAnswerSchema>;

export const linesAnswerSchema = z.strictObject({ lines: z.array(lineSchema), size: z.int().min(0) });
export type LinesAnswer = z.infer<typeof linesAnswerSchema>;

export const timingAnswerSchema = z.strictObject({
  run_id: z.string(),
  attempt: z.int().min(1),
  first_ts: z.iso.datetime().nullable(),
  last_ts: z.iso.datetime().nullable(),
  bytes: z.record(z.string(), z.int().min(0)).describe('Where each stream ends, as offsets in its file.'),
  at: z
    .strictObject({ ts: z.iso.datetime().nullable(), bytes: z.record(z.string(), z.int().min(0)) })
    .nullable()
    .describe('Answer to `byte` or `ts`; its time is null beyond the end.'),
  chunks: z.array(
    z.strictObject({
      time_us: z.number().describe('Microseconds since the first chunk.'),
      stream: rawStreamSchema.nullable().describe('Null: the terminal got another size.'),
      byte_from: z.int().min(0).nullable(),
      byte_to: z.int().min(0).nullable(),
      cols: z.int().optional(),
      rows: z.int().optional(),
    }),
  ),
  next_cursor: z.int().min(1).nullable(),
  total: z.int().min(0).describe('Number of chunks.'),
});
export type TimingAnswer = z.infer<typeof timingAnswerSchema>;

export const resultSchema = z.strictObject({
  run_id: z.string(),
  status: runStatusSchema,
  attempt: z.int().min(0),
  message: z
    .string()
    .nullable()
    .describe('The last message of the engine; null if there is none, or for a plain command.'),
  structured_payload: z.unknown().describe('The JSON that message holds, where it does.'),
  // With defaults, because earlier servers do not send them.
  skill: attemptResultSchema.shape.skill.nullable().default(null).describe('The skill of the run, as it was accepted.'),
  payload: attemptResultSchema.shape.payload.default(null),
  payload_from: attemptResultSchema.shape.payload_from.default(null),
  validity: validitySchema
    .default({ state: 'unchecked', violations: [] })
    .describe('Whether the payload and the artifacts follow the contract of the skill.'),
  artifacts: attemptResultSchema.shape.artifacts.default([]),
  skipped_artifacts: attemptResultSchema.shape.skipped_artifacts.default([]),
  repair_attempt: z.int().nullable().default(null).describe('The attempt of the repair turn; null if there was none.'),
  exit_code: z.int().nullable(),
  signal: z.string().nullable(),
  completion: metaSchema.shape.completion.nullable(),
  error: metaSchema.shape.error,
  filesystem: metaSchema.shape.filesystem,
  usage: usageSchema.nullable(),
  started_at: z.iso.datetime().nullable(),
  ended_at: z.iso.datetime().nullable(),
  duration_ms: z.number().nullable(),
});
export type RunResult = z.infer<typeof resultSchema>;

export const verificationSchema = z.strictObject({
  run_id: z.string(),
  code: z.enum(['VERIFY_FAILED', 'RECORD_INCOMPLETE']).nullable(),
  verdict: z.enum(['intact', 'changed', 'incomplete']),
  problems: z.array(
    z.strictObject({
      kind: z
        .enum(['changed', 'added', 'missing', 'signature', 'chain', 'incomplete', 'unchecked'])
        .describe('`added`: no seal covers it. `unchecked`: it cannot be checked here.'),
      path: z.string(),
      byte: z.int().nullable(),
      line: z.int().nullable(),
      message: z.string(),
    }),
  ),
  checked: z.strictObject({
    events: z.int(),
    files: z.int(),
    bytes: z.int(),
    attempts: z.int(),
    signatures: z.int().describe('Seals whose signature holds.'),
  }),
  keys: z.array(z.string()),
  recovered: z.array(z.int()).describe('Attempts that `tacho recover` sealed.'),
  /** Attempts that were sealed before the ledger began. */
  older_than_ledger: z.array(z.int()),
  /** Where the proof of an exported record leads to. */
  ledger_head: z.string().nullable(),
  source: runSourceSchema
    .nullable()
    .describe('Set when tacho did not record the engine itself: the seals cover what it read.'),
  foreign_keys: z.array(z.string()).describe('Keys that are not this installation’s.'),
});
export type VerificationAnswer = z.infer<typeof verificationSchema>;

/**
 * Everything that was sealed, held against a head of the ledger that was kept elsewhere. `since` is the size of the head; a
 * problem without a run is one of the ledger itself; `removed` are runs pruned or deleted since, `newer` entries made since.
 */
export const sinceAnswerSchema = z.strictObject({
  code: z.literal('VERIFY_FAILED').nullable(),
  verdict: z.enum(['intact', 'changed']),
  since: z.int().min(0),
  problems: z.array(
    z.strictObject({
      run_id: z.string().nullable(),
      attempt: z.int().nullable(),
      message: z.string(),
    }),
  ),
  removed: z.array(z.strictObject({ run_id: z.string(), at: z.iso.datetime() })),
  checked: z.strictObject({
    seals: z.int().min(0),
    removed: z.int().min(0),
    recovered: z.int().min(0),
    newer: z.int().min(0),
  }),
});
export type SinceAnswer = z.infer<typeof sinceAnswerSchema>;
export const ledgerHeadSchema = z.strictObject({ head: z.string().describe('The line of `tacho ledger head`.') });

export const healthSchema = z.strictObject({ status: z.literal('ok'), version: z.string() });
export type Health = z.infer<typeof healthSchema>;

/** Whether an engine is signed in, and how tacho knows. */
export const signInFactsSchema = z.strictObject({
  state: z.enum(['yes', 'no', 'unknown', 'not_needed']),
  by: z
    .enum(['variable', 'managed_home', 'settings'])
    .optional()
    .describe('A variable that is set, a file of the managed home, or settings that may name another way.'),
  name: z.string().optional().describe('The name of that variable or file.'),
  own_home: z.string().optional().describe('A sign-in in the user’s own home, which can be copied.'),
});
export type SignInFacts = z.infer<typeof signInFactsSchema>;

export const engineFactsSchema = z.strictObject({
  name: z.string(),
  title: z.string(),
  extends: z.string().optional().describe('The engine that a definition in the configuration is based on.'),
  installed: z.boolean(),
  path: z.string().nullable(),
  managed: z.boolean(),
  version: z.string().nullable(),
  tested_versions: z.array(z.string()),
  tested: z.boolean(),
  capabilities: z.record(z.string(), z.boolean()),
  install: z.strictObject({ package: z.string(), version: z.string(), needs_node: z.string().nullable() }).nullable(),
  gone: z.string().optional().describe('Why it can no longer be installed.'),
  sign_in: signInFactsSchema.optional(),
  next_step: z.string().optional().describe('A command to run next.'),
});
export type EngineFacts = z.infer<typeof engineFactsSchema>;

export const enginesAnswerSchema = z.strictObject({ engines: z.array(engineFactsSchema) });
export const approvalsAnswerSchema = z.strictObject({ approvals: z.array(approvalSchema) });
