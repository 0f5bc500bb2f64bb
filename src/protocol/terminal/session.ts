import * as z from 'zod';
import { text } from '../run/run-limits.ts';
import { argv, cursor, exitFields, milliseconds, size, targetSchema } from './parts.ts';
import { environmentPolicySchema, sandboxRequestSchema, sessionLimitsSchema } from './session-policy.ts';

export const sessionKindSchema = z.enum(['shell', 'exec', 'pty']);
export type SessionKind = z.infer<typeof sessionKindSchema>;
export const shellNameSchema = z.enum(['bash', 'zsh', 'sh']);
export type ShellName = z.infer<typeof shellNameSchema>;
export const sessionStateSchema = z.enum(['creating', 'idle', 'running', 'terminated']);
export type SessionState = z.infer<typeof sessionStateSchema>;
export const streamNameSchema = z.enum(['stdout', 'stderr']);
export type StreamName = z.infer<typeof streamNameSchema>;

export const createSessionSchema = z.strictObject({
  kind: sessionKindSchema.default('shell'),
  target: targetSchema.optional(),
  name: text(200).optional(),
  argv: argv.optional().describe('The program of an `exec` or `pty` session; a `pty` without it runs a shell.'),
  shell: shellNameSchema
    .optional()
    .describe(
      'The shell of a `shell` session (default: bash if it is on the PATH, otherwise sh). Also allowed for a `pty`.',
    ),
  cwd: text(4096).optional().describe('An absolute path; the workspace when not given.'),
  env: environmentPolicySchema.prefault({}),
  cols: size.cols.default(80),
  rows: size.rows.default(24),
  buffer_bytes: z.int().min(4096).max(268_435_456).default(1_048_576).describe('Kept of each stream for readers.'),
  timeout_ms: milliseconds.optional().describe('Default for commands without a timeout.'),
  kill_grace_ms: z.int().min(0).max(600_000).default(5000).describe('Between SIGTERM and SIGKILL.'),
  linger_ms: z.int().min(0).max(600_000).default(250).describe('How long `exec` waits for output after the exit.'),
  idle_ms: milliseconds.optional().describe('Ends a session that was idle for that long.'),
  life_ms: milliseconds.optional().describe('Ends the session after that long, whatever it does.'),
  limits: sessionLimitsSchema.prefault({}),
  sandbox: sandboxRequestSchema.optional(),
  split: z.boolean().default(false).describe('Of a `pty`: give stderr a separate terminal and stream.'),
  record: z
    .boolean()
    .default(false)
    .describe('Keeps the session as a run: every byte with its time, every command, sealed at the end.'),
});
export type CreateSession = z.infer<typeof createSessionSchema>;

export const sessionEndReasonSchema = z.enum([
  'exited',
  'killed',
  'destroyed',
  'idle',
  'life',
  'limit',
  'stuck',
  'failed',
]);
export type SessionEndReason = z.infer<typeof sessionEndReasonSchema>;

const streamInfo = z.strictObject({
  start: cursor.describe('The oldest byte that can still be read.'),
  end: cursor,
  closed: z.boolean(),
});

export const sessionInfoSchema = z.strictObject({
  session_id: z.string(),
  kind: sessionKindSchema,
  name: z.string().nullable(),
  state: sessionStateSchema,
  pid: z.int().nullable(),
  argv: z.array(z.string()),
  cwd: z.string().describe('Where the session is now; where it was last when it has ended.'),
  env_names: z.array(z.string()),
  limits: sessionLimitsSchema,
  sandbox: sandboxRequestSchema.nullable(),
  cols: z.int().nullable(),
  rows: z.int().nullable(),
  split: z.boolean().describe('Of a `pty`: its streams are apart, and lines end with a line feed alone.'),
  attached: z.int().min(0),
  created_at: z.iso.datetime(),
  active_at: z.iso.datetime(),
  exec_id: z.string().nullable().describe('The command that runs now.'),
  recording: z
    .strictObject({ run_id: z.string(), sealed: z.boolean() })
    .nullable()
    .describe('The run that keeps it, on the machine where the session is.'),
  exited: z.boolean().describe('The status is known.'),
  closed: z.boolean().describe('All output is in.'),
  end: z.strictObject({ ...exitFields, reason: sessionEndReasonSchema }).nullable(),
  streams: z.partialRecord(streamNameSchema, streamInfo),
});
export type SessionInfo = z.infer<typeof sessionInfoSchema>;
