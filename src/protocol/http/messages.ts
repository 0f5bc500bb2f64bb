import * as z from 'zod';
import { MAX_ARGUMENT_BYTES } from '../argument-size.ts';
import { questionSchema } from '../run/question.ts';
import { attemptEndSchema, runSourceSchema, runStatusSchema, runTimesSchema } from '../run/run.ts';
import { text } from '../run/run-limits.ts';
import { runModeSchema } from '../run/run-mode.ts';
import { skippedSkillsSchema } from '../run/run-skills.ts';
import { usageSchema } from '../usage.ts';

/** What is said over HTTP; the OpenAPI document is made from these. */

/** A run as lists and pages show it. */
export const runViewSchema = z.strictObject({
  run_id: z.string(),
  handle: z.string(),
  engine: z.string().describe('The engine whose format the output is in; `text` for any other command.'),
  parse_as: z.string().optional().describe('The engine whose format a command was expected to print.'),
  status: runStatusSchema,
  mode: runModeSchema,
  attempt: z.int().min(0),
  prompt: z.string().nullable().describe('The first prompt of the engine, or its beginning.'),
  skill: z.string().optional().describe('The skill of the run, as a mention.'),
  skipped_skills: skippedSkillsSchema
    .optional()
    .describe('Skills that were left out of `all`, or of those that the prompt mentions, and why.'),
  command: z.array(z.string()),
  cwd: z.string(),
  session_id: z.string().nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  priority: z.int(),
  queue_position: z.int().min(1).nullable().describe('1 starts next; null when it does not wait in the queue.'),
  question: questionSchema.nullable(),
  last: attemptEndSchema.nullable(),
  recovered: z.array(z.int().min(1)).optional().describe('Attempts that `tacho recover` sealed.'),
  source: runSourceSchema.optional(),
  usage: usageSchema.nullable().describe('The sum over all attempts.'),
  times: runTimesSchema
    .nullable()
    .optional()
    .describe('When it began, and how long it was queued, worked and waited, up to `since`.'),
  head_seq: z.int().min(0).describe('The last event of the run.'),
  newer_format: z
    .string()
    .optional()
    .describe('Format of a record that a newer version of tacho made; it is shown as far as possible.'),
});
export type RunView = z.infer<typeof runViewSchema>;

/** A run as it is now, or the word that it was removed. */
export type RunChange = { run: RunView } | { removed: string };

const answerText = text(MAX_ARGUMENT_BYTES).refine((value) => value.trim() !== '', 'is empty');

export const replySchema = z
  .strictObject({
    interaction_id: z.string().min(1).max(200),
    text: answerText.optional(),
    answers: z
      .record(z.string().min(1).max(200), answerText)
      .refine((answers) => Object.keys(answers).length > 0, 'is empty')
      .optional()
      .describe('Answers by the ids of the questions, instead of a text.'),
    idempotency_key: z.string().min(1).max(200).optional(),
  })
  .refine((reply) => (reply.text === undefined) !== (reply.answers === undefined), {
    path: ['text'],
    message: 'is required, unless there are answers; a reply has one of the two',
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

export const decisionSchema = z
  .strictObject({
    decision: z.enum(['approved', 'denied']),
    reason: text(2000).optional(),
    remember: z
      .enum(['run', 'always'])
      .optional()
      .describe(
        'Also allow whatever the suggested rule of the request covers: in this run, or always, which adds the rule to `safety.rules` of the configuration and requires the scope `admin`.',
      ),
  })
  .refine(({ decision, remember }) => remember === undefined || decision === 'approved', {
    path: ['remember'],
    message: 'cannot be used with a denial',
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
