import * as z from 'zod';
import { ERROR_CODES, type ErrorCode } from './error-code.ts';
import { text } from './run-limits.ts';

/**
 * The methods of the terminal runtime, the same on every transport: JSON-RPC 2.0, each method with the schema of its
 * params and of its result.
 */

const LONGEST_MS = 2_073_600_000;
const milliseconds = z.int().min(1).max(LONGEST_MS);
const identifier = z
  .string()
  .regex(/^[\w.:-]+$/)
  .max(200);
const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/);
const cursor = z.int().min(0).describe('Position in the whole stream, in bytes.');
/** A message is no longer than 8 MiB. */
const MOST_WRITTEN = 8_000_000;
const nothing = z.strictObject({});

export const encodingSchema = z.enum(['utf8', 'base64']);
export type Encoding = z.infer<typeof encodingSchema>;
/** Bytes: as text where they are text, in base64 otherwise. */
const bytesFields = { data: z.string(), encoding: encodingSchema };
const askedEncoding = encodingSchema
  .optional()
  .describe(
    'Not given: `utf8` for text, `base64` for what is not valid UTF-8 or full of NUL. `utf8` asked for replaces what is not text.',
  );

export const sessionKindSchema = z.enum(['shell', 'exec', 'pty']);
export type SessionKind = z.infer<typeof sessionKindSchema>;
export const shellNameSchema = z.enum(['bash', 'zsh', 'sh']);
export type ShellName = z.infer<typeof shellNameSchema>;
export const sessionStateSchema = z.enum(['creating', 'idle', 'running', 'terminated']);
export type SessionState = z.infer<typeof sessionStateSchema>;
export const streamNameSchema = z.enum(['stdout', 'stderr']);
export type StreamName = z.infer<typeof streamNameSchema>;

export const environmentPolicySchema = z.strictObject({
  inherit: z.enum(['none', 'core', 'all']).default('core').describe('What is taken from the runtime’s environment.'),
  include: z.array(variableName).max(256).default([]).describe('Names that are taken besides.'),
  exclude: z.array(variableName).max(256).default([]).describe('Names that are not taken, whatever else says so.'),
  set: z.record(variableName, text(131_071)).default({}).describe('Never shown again: info and lists hold names only.'),
});
export type EnvironmentPolicy = z.infer<typeof environmentPolicySchema>;

export const sessionLimitsSchema = z.strictObject({
  memory_bytes: z.int().min(1).optional().describe('All processes of the session together, with their page cache.'),
  processes: z.int().min(1).optional().describe('Processes and threads of the session at one time.'),
  cpu_seconds: z.int().min(1).max(1_000_000_000).optional().describe('Of each process; it gets SIGXCPU.'),
  open_files: z.int().min(1).max(2_147_483_647).optional().describe('Descriptors of each process.'),
  file_bytes: z.int().min(1).optional().describe('The size a file may be written to; who goes on gets SIGXFSZ.'),
  nice: z.int().min(0).max(19).optional().describe('How far others go first.'),
});
export type SessionLimits = z.infer<typeof sessionLimitsSchema>;

export const exceededLimitSchema = z.enum(['memory', 'processes', 'cpu', 'file_size']);
export type ExceededLimit = z.infer<typeof exceededLimitSchema>;

const absolutePath = text(4096).regex(/^\//, 'an absolute path');
const paths = z.array(absolutePath).max(256).default([]);
/** A restricted view of the machine. The most specific path decides. */
export const sandboxRequestSchema = z.strictObject({
  network: z.enum(['off', 'on']).default('off'),
  workspace: z.enum(['write', 'read']).default('write'),
  read: paths.describe('Visible besides the system’s programs.'),
  write: paths.describe('Visible and writable besides the workspace.'),
  hide: paths.describe('Not visible, although a folder above it is.'),
});
export type SandboxRequest = z.infer<typeof sandboxRequestSchema>;

const argv = z.array(text(131_071)).min(1).max(4096).describe('A program and its arguments; no shell is involved.');
const size = { cols: z.int().min(1).max(65_535), rows: z.int().min(1).max(65_535) };

const targetSchema = z
  .string()
  .regex(/^(host|(ssh|container):[\w.-]+)$/, 'host, or a target of the configuration: ssh:name or container:name')
  .describe('Where it runs; `host` when not given.');

export const createSessionSchema = z.strictObject({
  kind: sessionKindSchema.default('shell'),
  target: targetSchema.optional(),
  name: text(200).optional(),
  argv: argv.optional().describe('What an `exec` or `pty` session runs; a `pty` without it runs a shell.'),
  shell: shellNameSchema
    .optional()
    .describe('What a `shell` session runs; not given: bash where the PATH has one, else sh. A `pty` may have it too.'),
  cwd: text(4096).optional().describe('An absolute path; the workspace when not given.'),
  env: environmentPolicySchema.prefault({}),
  cols: size.cols.default(80),
  rows: size.rows.default(24),
  buffer_bytes: z.int().min(4096).max(268_435_456).default(1_048_576).describe('Kept of each stream for readers.'),
  timeout_ms: milliseconds.optional().describe('For each command that has none of its own.'),
  kill_grace_ms: z.int().min(0).max(600_000).default(5000).describe('Between SIGTERM and SIGKILL.'),
  linger_ms: z.int().min(0).max(600_000).default(250).describe('What `exec` waits for output after the exit.'),
  idle_ms: milliseconds.optional().describe('Ends a session that nobody used for that long.'),
  life_ms: milliseconds.optional().describe('Ends the session after that long, whatever it does.'),
  limits: sessionLimitsSchema.prefault({}),
  sandbox: sandboxRequestSchema.optional(),
  split: z.boolean().default(false).describe('Of a `pty`: stderr has a terminal, and a stream, of its own.'),
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

const exitFields = { exit_code: z.int().nullable(), signal: z.string().nullable() };
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

const session = { session_id: identifier };

const runSchema = z
  .strictObject({
    session_id: identifier.optional().describe('A `shell` session; without it the command has a session of its own.'),
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
    stdin: z.enum(['session', 'empty']).optional().describe('Default: `session` in a session, otherwise `empty`.'),
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
    .describe('What was left out between head and tail.'),
});
export type CommandOutput = z.infer<typeof outputSchema>;

const commandResultSchema = z.strictObject({
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

const fileStat = z.strictObject({
  path: z.string(),
  type: z.enum(['file', 'folder', 'link', 'other']),
  size: z.int().min(0),
  mode: z.int().min(0),
  modified_at: z.iso.datetime(),
});
const fileTarget = { target: targetSchema.optional().describe('Whose workspace it is; `host` when not given.') };
const filePath = { path: text(4096).describe('Inside the workspace.'), ...fileTarget };

const runtimeStatusSchema = z.strictObject({
  healthy: z.boolean(),
  version: z.string(),
  pid: z.int(),
  workspace: z.string(),
  started_at: z.iso.datetime(),
  sessions: z.strictObject({ active: z.int().min(0), max: z.int().min(1) }),
  children: z.strictObject({ active: z.int().min(0) }),
  registry: z.strictObject({ path: z.string(), entries: z.int().min(0) }).nullable(),
  mechanisms: z.record(z.string(), z.strictObject({ works: z.boolean(), why: z.string().nullable() })),
  targets: z
    .array(z.strictObject({ target: z.string(), connected: z.boolean(), why: z.string().nullable() }))
    .describe('Those in use, and why one cannot be reached.'),
});

const everywhere = targetSchema.optional().describe('Not given: this machine and the targets in use.');

const screenSchema = z.strictObject({
  lines: z.array(z.string()).describe('Each row as text, without the blanks at its end.'),
  cursor: z.strictObject({ row: z.int().min(0), col: z.int().min(0) }).describe('Counted from 0.'),
  cols: z.int(),
  rows: z.int(),
  alternate: z.boolean().describe('A full-screen program has it.'),
  settled: z.boolean().describe('What was waited for has happened.'),
});
export type ScreenText = z.infer<typeof screenSchema>;

const readResultSchema = z.strictObject({
  ...bytesFields,
  from: cursor,
  next: cursor,
  truncated_before: cursor.nullable().describe('Bytes between `after` and this are gone; null when none are.'),
  closed: z.boolean(),
  cols: z.int().nullable().describe('The size of a `pty` as it is now.'),
  rows: z.int().nullable(),
});

/** Method → what goes in, what comes out. */
export const RUNTIME_METHODS = {
  'session.create': { params: createSessionSchema, result: sessionInfoSchema },
  'session.list': {
    params: z.strictObject({ target: everywhere }),
    result: z.strictObject({ sessions: z.array(sessionInfoSchema) }),
  },
  'session.info': { params: z.strictObject(session), result: sessionInfoSchema },
  'session.destroy': { params: z.strictObject(session), result: sessionInfoSchema },
  'session.read': {
    params: z.strictObject({
      ...session,
      stream: streamNameSchema.default('stdout'),
      after: cursor.default(0),
      max_bytes: z.int().min(1).max(16_777_216).default(65_536),
      wait_ms: z.int().min(0).max(600_000).default(0),
      encoding: askedEncoding,
    }),
    result: readResultSchema,
  },
  'session.write': {
    params: z.strictObject({
      ...session,
      data: z.string().max(MOST_WRITTEN).default(''),
      encoding: encodingSchema.default('utf8'),
      end: z.boolean().default(false).describe('Nothing more will be written.'),
      write_id: identifier.optional().describe('The same one again is not written again.'),
    }),
    result: z.strictObject({ written: z.int().min(0), repeated: z.boolean() }),
  },
  'session.resize': { params: z.strictObject({ ...session, ...size }), result: nothing },
  'session.signal': {
    params: z.strictObject({ ...session, signal: z.string().regex(/^SIG[A-Z0-9]+$/) }),
    result: z.strictObject({ reached: z.int().min(0).describe('Processes that got it.') }),
  },
  'session.attach': {
    params: z.strictObject({ ...session, client_id: identifier }),
    result: z.strictObject({
      snapshot: z.string().nullable().describe('Draws the screen as it is at `next`; null where there is none.'),
      next: cursor.describe('Read on from here.'),
      next_stderr: cursor.nullable().describe('The same of stderr, where it is a stream of its own.'),
      cols: z.int(),
      rows: z.int(),
    }),
  },
  'session.detach': { params: z.strictObject({ ...session, client_id: identifier }), result: nothing },
  'session.screen': {
    params: z.strictObject({
      ...session,
      wait_ms: z.int().min(0).max(600_000).default(0).describe('Waits that long at most.'),
      wait_for: text(1000).optional().describe('Waits until a line of the screen holds this.'),
      quiet_ms: z.int().min(1).max(60_000).default(200).describe('Else waits until nothing changes for that long.'),
    }),
    result: screenSchema,
  },
  'exec.run': { params: runSchema, result: commandResultSchema },
  'exec.stream': { params: runSchema, result: commandResultSchema },
  'exec.cancel': {
    params: z.strictObject({ exec_id: identifier }),
    result: z.strictObject({ canceled: z.boolean().describe('False when it had ended before.') }),
  },
  'system.ping': { params: nothing, result: z.strictObject({ pong: z.literal(true), at: z.iso.datetime() }) },
  'system.stats': {
    params: z.strictObject({ target: everywhere }),
    result: z.strictObject({
      uptime_ms: z.number().min(0),
      rss_bytes: z.int().min(0),
      sessions: z.array(
        z.strictObject({
          session_id: z.string(),
          cpu_ms: z.number().min(0),
          rss_bytes: z.int().min(0),
          processes: z.int().min(0),
        }),
      ),
    }),
  },
  'runtime.status': { params: nothing, result: runtimeStatusSchema },
  'runtime.cleanup': { params: nothing, result: z.strictObject({ sessions: z.int(), children: z.int() }) },
  'runtime.shutdown': { params: nothing, result: nothing },
  'file.read': {
    params: z.strictObject({
      ...filePath,
      offset: z.int().min(0).default(0),
      max_bytes: z.int().min(0).max(16_777_216).default(1_048_576),
      encoding: askedEncoding,
    }),
    result: z.strictObject({ ...bytesFields, size: z.int().min(0), next: z.int().min(0), end: z.boolean() }),
  },
  'file.write': {
    params: z.strictObject({
      ...filePath,
      data: z.string().max(MOST_WRITTEN),
      encoding: encodingSchema.default('utf8'),
      mode: z.int().min(0).max(0o777).optional(),
      append: z.boolean().default(false),
    }),
    result: fileStat,
  },
  'file.list': {
    params: z.strictObject({ path: text(4096).default('.'), ...fileTarget }),
    result: z.strictObject({ entries: z.array(fileStat) }),
  },
  'file.stat': { params: z.strictObject(filePath), result: fileStat },
} as const satisfies Record<string, { params: z.ZodType; result: z.ZodType }>;

export type RuntimeMethod = keyof typeof RUNTIME_METHODS;
/** What a caller gives: defaults may be left out. */
export type RuntimeParams<M extends RuntimeMethod> = z.input<(typeof RUNTIME_METHODS)[M]['params']>;
export type CheckedParams<M extends RuntimeMethod> = z.output<(typeof RUNTIME_METHODS)[M]['params']>;
export type RuntimeResult<M extends RuntimeMethod> = z.output<(typeof RUNTIME_METHODS)[M]['result']>;

/** What `exec.stream` sends while the command runs; its result comes last. */
export const execOutputSchema = z.strictObject({
  exec_id: z.string(),
  stream: streamNameSchema,
  from: cursor,
  ...bytesFields,
});
export type ExecOutput = z.infer<typeof execOutputSchema>;
/** `session.output` is what a `session.read` that is followed over HTTP sends; its result comes last. */
export const RUNTIME_NOTIFICATIONS = { 'exec.output': execOutputSchema, 'session.output': readResultSchema } as const;

const requestId = z.union([z.string().max(200), z.int(), z.null()]);
const version = z.literal('2.0');

export const rpcRequestSchema = z.strictObject({
  jsonrpc: version,
  id: requestId.optional().describe('Without it nobody waits for an answer.'),
  method: z.string().max(100),
  params: z.record(z.string(), z.unknown()).optional(),
  secret: z.string().max(200).optional().describe('On the socket: in the first message of a connection.'),
});
export type RpcRequest = z.infer<typeof rpcRequestSchema>;

/** The older form, told by the missing `jsonrpc`: answered by `{id, ok, data}` or `{id, ok, error}`. */
export const plainRequestSchema = rpcRequestSchema.omit({ jsonrpc: true });

export const rpcErrorSchema = z.strictObject({
  code: z.int(),
  message: z.string(),
  data: z.strictObject({
    code: z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]),
    facts: z.record(z.string(), z.unknown()).default({}),
    fix: z.string().optional(),
  }),
});
export const rpcAnswerSchema = z.union([
  z.strictObject({ jsonrpc: version, id: requestId, result: z.unknown() }),
  z.strictObject({ jsonrpc: version, id: requestId, error: rpcErrorSchema }),
]);
export type RpcAnswer = z.infer<typeof rpcAnswerSchema>;

/** Numbers JSON-RPC itself gives a meaning to; everything else of ours is -32000 and told apart by `data.code`. */
export const JSON_RPC_NUMBERS: Partial<Record<ErrorCode, number>> = {
  METHOD_NOT_FOUND: -32_601,
  INVALID_PARAMS: -32_602,
  INTERNAL_ERROR: -32_603,
};
export const JSON_RPC_REFUSED = -32_000;
