import * as z from 'zod';
import { captureModeSchema } from './attempt-files.ts';
import { runStatusSchema } from './run.ts';
import { runFilesSchema } from './run-files.ts';
import { autoReplySchema, limitsSchema, text } from './run-limits.ts';
import { runModeSchema } from './run-mode.ts';
import { usageSchema } from './usage.ts';

/** What is said over HTTP; the OpenAPI document is made from these. */

const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/);
/** `POST /v1/runs`: an engine with a prompt, or a command. */
export const createRunSchema = z
  .strictObject({
    engine: z
      .string()
      .regex(/^[a-z][a-z0-9_]*$/)
      .optional(),
    prompt: text(131_071).optional(),
    command: z.array(text(131_071)).min(1).max(4096).optional().describe('An argv; no shell is involved.'),
    mode: runModeSchema.default('auto'),
    model: z
      .string()
      .regex(/^\w[\w./:@+-]*$/)
      .max(200)
      .optional(),
    base_url: z
      .url({ protocol: /^https?$/ })
      .regex(/^[^"'\\\s{}]+$/)
      .optional(),
    format: z.string().max(40).optional(),
    engine_args: z.array(text(131_071)).max(256).default([]),
    require_marker: z.boolean().default(false),
    cwd: z.string().max(4096).optional().describe('An absolute path; the run folder when not given.'),
    files: runFilesSchema.optional().describe('Put into the run folder before the program starts; not with cwd.'),
    env: z.record(variableName, text(131_071)).default({}),
    pass_env: z.array(variableName).max(256).default([]).describe('Taken from the environment of the server.'),
    capture: captureModeSchema.optional(),
    cols: z.int().min(1).max(65_535).optional(),
    rows: z.int().min(1).max(65_535).optional(),
    limits: limitsSchema.default({}),
    priority: z.int().min(-100).max(100).default(0).describe('Higher runs start first.'),
    auto_reply: autoReplySchema.optional(),
  })
  .refine(
    ({ engine, prompt, command }) =>
      command === undefined
        ? engine !== undefined && prompt !== undefined
        : engine === undefined && prompt === undefined,
    { message: 'give either command, or engine and prompt' },
  )
  .refine(({ cwd, files }) => cwd === undefined || files === undefined, {
    path: ['files'],
    message: 'are put into the run folder only; leave cwd out',
  });
export type CreateRun = z.infer<typeof createRunSchema>;

/** A run as lists and pages show it. */
export const runViewSchema = z.strictObject({
  run_id: z.string(),
  handle: z.string(),
  engine: z.string(),
  status: runStatusSchema,
  mode: runModeSchema,
  attempt: z.int().min(0),
  prompt: z.string().nullable().describe('What an engine was asked for first, or the beginning of it.'),
  command: z.array(z.string()),
  cwd: z.string(),
  session_id: z.string().nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  priority: z.int(),
  queue_position: z.int().min(1).nullable().describe('1 starts next; null when it does not wait in the queue.'),
  question: z.strictObject({ interaction_id: z.string(), prompt: z.string() }).nullable(),
  last: z
    .strictObject({
      attempt: z.int().min(1),
      exit_code: z.int().nullable(),
      signal: z.string().nullable(),
      state: z.string(),
      reason_code: z.string(),
      ended_at: z.iso.datetime(),
    })
    .nullable(),
  usage: usageSchema.nullable(),
  head_seq: z.int().min(0).describe('The last event of the run.'),
});
export type RunView = z.infer<typeof runViewSchema>;

/** A run as it is now, or the word that it was removed. */
export type RunChange = { run: RunView } | { removed: string };

export const replySchema = z.strictObject({
  interaction_id: z.string().min(1).max(100),
  text: text(131_071).refine((value) => value.trim() !== '', 'is empty'),
  idempotency_key: z.string().min(1).max(200).optional(),
});
export type Reply = z.infer<typeof replySchema>;

export const replyAnswerSchema = z.strictObject({
  run_id: z.string(),
  interaction_id: z.string(),
  attempt: z.int().min(1).describe('The attempt the reply begins.'),
  accepted_at: z.iso.datetime(),
});
export type ReplyAnswer = z.infer<typeof replyAnswerSchema>;

export const approvalSchema = z.strictObject({
  approval_id: z.string(),
  run_id: z.string(),
  summary: z.string(),
  details: z.unknown(),
  status: z.enum(['pending', 'approved', 'denied', 'expired']),
  requested_at: z.iso.datetime(),
  decided_at: z.iso.datetime().nullable(),
  reason: z.string().nullable(),
});
export type Approval = z.infer<typeof approvalSchema>;

export const decisionSchema = z.strictObject({
  decision: z.enum(['approved', 'denied']),
  reason: text(2000).optional(),
});
export type Decision = z.infer<typeof decisionSchema>;

/** What a token may do; each scope includes those before it. */
export const tokenScopeSchema = z.enum(['read', 'reply', 'admin']);
export type TokenScope = z.infer<typeof tokenScopeSchema>;

export const errorAnswerSchema = z.strictObject({
  error: z.strictObject({
    code: z.string(),
    message: z.string(),
    fix: z.string().optional(),
    details: z.record(z.string(), z.unknown()).optional(),
  }),
});
export type ErrorAnswer = z.infer<typeof errorAnswerSchema>;

/** First frame of every event stream. */
export const streamOpenedSchema = z.strictObject({
  resume: z.enum(['ok', 'reset']).describe('`reset`: the cursor is none of this run; the stream begins at 1.'),
  from_seq: z.int().min(1),
  head_seq: z.int().min(0),
});
export type StreamOpened = z.infer<typeof streamOpenedSchema>;

/** Last frame of every event stream, if the connection holds. */
export const streamClosedSchema = z.strictObject({
  reason: z
    .enum(['terminal', 'shutdown', 'removed', 'error'])
    .describe('`terminal`: the run has ended. `shutdown`: the server goes, and may come back.'),
  last_seq: z.int().min(0).describe('The last event that counts as sent.'),
  error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
});
export type StreamClosed = z.infer<typeof streamClosedSchema>;

/** What `run_removed` says in the stream of the list. */
export const runRemovedSchema = z.strictObject({ run_id: z.string() });
