import * as z from 'zod';
import { text } from '../run/run-limits.ts';
import {
  argv,
  askedEncoding,
  bytesFields,
  cursor,
  encodingSchema,
  exitFields,
  identifier,
  MOST_WRITTEN,
  milliseconds,
  targetSchema,
} from './parts.ts';
import { sessionStateSchema, streamNameSchema } from './session.ts';
import {
  environmentPolicySchema,
  exceededLimitSchema,
  sandboxRequestSchema,
  sessionLimitsSchema,
} from './session-policy.ts';

/** Input that comes with a command. */
export const stdinDataSchema = z.strictObject({
  data: z.string().max(MOST_WRITTEN),
  encoding: encodingSchema.default('utf8'),
});

export const runSchema = z
  .strictObject({
    session_id: identifier.optional().describe('A `shell` session; without it the command gets a separate session.'),
    target: targetSchema.optional(),
    exec_id: identifier.optional().describe('A name by which it can be cancelled; made up when not given.'),
    resume: z
      .strictObject({ stdout: cursor.optional(), stderr: cursor.optional() })
      .optional()
      .describe('Starts nothing: waits for the command of that `exec_id`, streamed from these cursors on.'),
    command: text(1_048_576).optional().describe('Text for the shell.'),
    argv: argv.optional(),
    cwd: text(4096).optional(),
    env: environmentPolicySchema.optional(),
    limits: sessionLimitsSchema.optional(),
    sandbox: sandboxRequestSchema.optional(),
    record: z.boolean().optional().describe('Of a command without a session: keeps it as a run.'),
    stdin: z
      .union([z.enum(['session', 'empty']), stdinDataSchema])
      .optional()
      .describe(
        '`{data}`: these bytes, then the end of the input. Default: `session` in a session, otherwise `empty`.',
      ),
    timeout_ms: milliseconds.optional(),
    kill_grace_ms: z.int().min(0).max(600_000).optional(),
    max_output_bytes: z.int().min(0).max(67_108_864).default(1_048_576).describe('Of each stream; head and tail.'),
    encoding: askedEncoding,
    when_behind: z
      .enum(['skip', 'wait'])
      .default('skip')
      .describe('`exec.stream`, when the reader is slower than the command: a gap in `from`, or the command waits.'),
  })
  .refine(({ command, argv }) => (command === undefined) !== (argv === undefined), 'give either command or argv')
  .refine(
    ({ session_id, target, argv, cwd, env, limits, sandbox, record }) =>
      session_id === undefined || (target ?? argv ?? cwd ?? env ?? limits ?? sandbox ?? record) === undefined,
    'a command in a session has the session’s target, cwd, env, limits, sandbox and recording, and no argv',
  );
export type RunCommand = z.infer<typeof runSchema>;

const outputSchema = z.strictObject({
  ...bytesFields,
  from: cursor,
  to: cursor,
  omitted: z
    .strictObject({ at: z.int().min(0).describe('Where in the bytes of `data`.'), bytes: z.int().min(1) })
    .nullable()
    .describe('The output left out between head and tail.'),
});
export type CommandOutput = z.infer<typeof outputSchema>;

export const commandResultSchema = z.strictObject({
  exec_id: z.string(),
  session_id: z.string(),
  ...exitFields,
  timed_out: z.boolean(),
  canceled: z.boolean(),
  limit_exceeded: exceededLimitSchema.nullable().describe('The limit that ended it, or that it ran into.'),
  closed: z.boolean().describe('False: something in the background still holds the output open.'),
  duration_ms: z.number().min(0),
  session_state: sessionStateSchema,
  run_id: z.string().nullable().describe('The run that keeps it, where it is recorded.'),
  stdout: outputSchema,
  stderr: outputSchema,
});
export type CommandResult = z.infer<typeof commandResultSchema>;

/** What `exec.stream` sends while the command runs; its result comes last. */
export const execOutputSchema = z.strictObject({
  exec_id: z.string(),
  stream: streamNameSchema,
  from: cursor,
  ...bytesFields,
});
export type ExecOutput = z.infer<typeof execOutputSchema>;

/** The answer to a signal. Apart from the methods: a page that sends signals loads only this. */
export const signalledSchema = z.strictObject({ reached: z.int().min(0).describe('Processes that got it.') });
