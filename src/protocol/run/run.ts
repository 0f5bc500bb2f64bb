import * as z from 'zod';
import { captureSchema } from '../capture.ts';
import { usageSchema, usageTallySchema } from '../usage.ts';
import { engineReadingSchema } from './engine-definition.ts';
import { questionSchema } from './question.ts';
import { HANDLE_PATTERN, RUN_FORMAT, RUN_ID_PATTERN } from './run-id.ts';
import { autoReplySchema, limitsSchema } from './run-limits.ts';
import { runModeSchema } from './run-mode.ts';
import { shownRequestSchema } from './run-request.ts';

export const runStatusSchema = z.enum([
  'queued',
  'running',
  'waiting_user',
  'waiting_approval',
  'succeeded',
  'failed',
  'canceled',
]);
export type RunStatus = z.infer<typeof runStatusSchema>;

/** A process, named so that a recycled pid is not mistaken for it. */
export const processIdentitySchema = z.strictObject({
  pid: z.int().positive(),
  start_time: z.string().describe('Start time in clock ticks since boot, from /proc/<pid>/stat.'),
  boot_id: z.string(),
  host: z.string(),
});
export type ProcessIdentity = z.infer<typeof processIdentitySchema>;

/** How long the run was in each kind of status. The time in the status it has now is not counted yet. */
export const runTimesSchema = z.strictObject({
  started_at: z.iso.datetime().nullable().describe('When its first attempt began; null while none has.'),
  since: z.iso.datetime().describe('When the run got the status it has now.'),
  queued_ms: z.int().min(0),
  working_ms: z.int().min(0),
  waiting_ms: z.int().min(0),
});
export type RunTimes = z.infer<typeof runTimesSchema>;

/** How a finished attempt ended. */
export const attemptEndSchema = z.strictObject({
  attempt: z.int().min(1),
  exit_code: z.int().nullable(),
  signal: z.string().nullable(),
  state: z.string(),
  reason_code: z.string(),
  ended_at: z.iso.datetime(),
});

/** Where the run comes from, unless tacho started and recorded its program. */
export const runSourceSchema = z
  .strictObject({
    kind: z.literal('watched').describe('`tacho watch` read it from the file that the engine keeps of a session.'),
    path: z.string().describe('The session file.'),
  })
  .describe('Set when tacho did not record the engine itself.');

/** The state of a run: a fold over its events (record/apply-event.ts). */
export const runStateSchema = z.strictObject({
  run_id: z.string().regex(RUN_ID_PATTERN),
  handle: z.string().regex(HANDLE_PATTERN),
  engine: z.string(),
  status: runStatusSchema,
  attempt: z.int().min(0),
  command: z.array(z.string()).min(1),
  mode: runModeSchema.optional().describe('Whether a person may be asked; `auto` when not given.'),
  session_id: z.string().nullable().optional().describe('The engine’s own session, by which a reply continues it.'),
  request: z
    .union([shownRequestSchema, z.string()])
    .optional()
    .describe('The request, without values of variables; earlier versions kept only the beginning of the prompt.'),
  launch: z
    .strictObject({
      model: z.string().nullable(),
      base_url: z.string().nullable(),
      engine_args: z.array(z.string()),
      require_marker: z.boolean(),
      prompt: z.string().optional().describe('The beginning of the last message; the events have all of it.'),
      parse: z.boolean().optional().describe('False if the output was treated as plain text.'),
      format: z.string().nullable().describe('Output format asked of an engine that has several.'),
    })
    .optional()
    .describe('Written by earlier versions, which had no `request`.'),
  reading: engineReadingSchema
    .optional()
    .describe('How the output is read, of an engine that the configuration defined.'),
  queue: z
    .strictObject({ priority: z.int(), at: z.iso.datetime() })
    .optional()
    .describe('Its place among runs that wait to be started; kept for the attempts to come.'),
  limits: limitsSchema.optional().describe('Written by earlier versions.'),
  auto_reply: autoReplySchema.optional().describe('Written by earlier versions.'),
  question: questionSchema.nullable().optional().describe('The open question of the run.'),
  usage: usageSchema.nullable().optional().describe('The sum over all attempts.'),
  usage_tally: usageTallySchema.optional().describe('The parts of the sum, from which the next attempt continues.'),
  times: runTimesSchema.optional(),
  head_seq: z.int().min(0).optional().describe('The last event that is part of this state.'),
  message_seq: z.int().min(1).nullable().optional().describe('The last whole message of the assistant.'),
  replies: z
    .array(
      z.strictObject({
        key: z.string(),
        digest: z.string().describe('Of the question and the reply.'),
        interaction_id: z.string(),
        attempt: z.int().min(1),
        accepted_at: z.iso.datetime(),
      }),
    )
    .optional()
    .describe('Replies that came with a key, so that the same one gets the same answer.'),
  repair_attempt: z
    .int()
    .min(1)
    .optional()
    .describe('The attempt that was the repair turn: its result, or done marker, was missing or invalid before.'),
  recovered: z.array(z.int().min(1)).optional().describe('Attempts that `tacho recover` sealed.'),
  source: runSourceSchema.optional(),
  cwd: z.string(),
  workspace_root: z.string(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  last: attemptEndSchema.nullable().describe('How the last finished attempt ended.'),
});
export type RunState = z.infer<typeof runStateSchema>;

/** `.run.json`: a cache of the fold over the run's events, replaced atomically; and who records it now. */
export const runRecordSchema = z.strictObject({
  format: z.literal(RUN_FORMAT),
  ...runStateSchema.shape,
  chain: z
    .string()
    .nullable()
    .optional()
    .describe('Chain value of the event `head_seq`. Readers check it, and fold the events after it.'),
  live: z
    .strictObject({
      attempt: z.int().min(1).optional().describe('The attempt that is recorded; the events may not say so yet.'),
      closing: z.boolean().optional().describe('The run ends without this attempt: only the closing seal is missing.'),
      supervisor: processIdentitySchema,
      child: processIdentitySchema.nullable(),
      marker: z.string().describe('Value of TACHO_MARKER in the environment of every process of the attempt.'),
      started_at: z.iso.datetime().nullable(),
      capture: captureSchema,
      env_names: z.array(z.string()),
      injected: z
        .record(z.string(), z.string())
        .optional()
        .describe('Files tacho puts into the workspace, with the sha256 of each.'),
      secret_names: z.array(z.string()).describe('Variables whose values must not appear in events.'),
    })
    .nullable()
    .describe('The process that is recording the attempt; null when there is none.'),
});
/** `format` is a newer one in the record of a newer version of tacho, which is read as far as it is understood. */
export type RunRecord = Omit<z.infer<typeof runRecordSchema>, 'format'> & { format: string };
