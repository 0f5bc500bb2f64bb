import * as z from 'zod';
import { text } from '../run/run-limits.ts';
import { AGENT_METHODS } from './agents.ts';
import { commandResultSchema, execOutputSchema, runSchema, signalledSchema } from './command.ts';
import {
  askedEncoding,
  bytesFields,
  cursor,
  encodingSchema,
  identifier,
  MOST_WRITTEN,
  nothing,
  size,
  targetSchema,
} from './parts.ts';
import { createSessionSchema, sessionInfoSchema, streamNameSchema } from './session.ts';
import { sessionLimitsSchema } from './session-policy.ts';

/**
 * The methods of the terminal runtime, the same on every transport: JSON-RPC 2.0, each method with the schema of its
 * params and of its result.
 */

const session = { session_id: identifier };

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
  children: z.strictObject({
    active: z.int().min(0).describe('Child agents that run.'),
    waiting: z.int().min(0).describe('Those that wait for people, and are continued when they have decided.'),
    max: z.int().min(0),
  }),
  registry: z.strictObject({ path: z.string(), entries: z.int().min(0) }).nullable(),
  defaults: z
    .strictObject({ timeout_ms: z.int().nullable(), limits: sessionLimitsSchema })
    .describe('Defaults of commands and sessions that set nothing else.'),
  socket_secret: z
    .enum(['required', 'optional'])
    .nullable()
    .describe('Whether clients of the socket have to send the secret; null without a socket.'),
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
  settled: z.boolean().describe('True if the awaited condition was met.'),
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
    result: signalledSchema,
  },
  'session.attach': {
    params: z.strictObject({ ...session, client_id: identifier }),
    result: z.strictObject({
      snapshot: z.string().nullable().describe('Draws the screen as it is at `next`; null where there is none.'),
      next: cursor.describe('Read on from here.'),
      next_stderr: cursor.nullable().describe('The same for stderr, if it is a separate stream.'),
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
  ...AGENT_METHODS,
} as const satisfies Record<string, { params: z.ZodType; result: z.ZodType }>;

export type RuntimeMethod = keyof typeof RUNTIME_METHODS;
/** What a caller gives: defaults may be left out. */
export type RuntimeParams<M extends RuntimeMethod> = z.input<(typeof RUNTIME_METHODS)[M]['params']>;
export type CheckedParams<M extends RuntimeMethod> = z.output<(typeof RUNTIME_METHODS)[M]['params']>;
export type RuntimeResult<M extends RuntimeMethod> = z.output<(typeof RUNTIME_METHODS)[M]['result']>;

/** `session.output` is what a `session.read` that is followed over HTTP sends; its result comes last. */
export const RUNTIME_NOTIFICATIONS = { 'exec.output': execOutputSchema, 'session.output': readResultSchema } as const;
