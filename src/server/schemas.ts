import * as z from 'zod';
import {
  approvalSchema,
  HANDLE_PATTERN,
  metaSchema,
  RUN_ID_PATTERN,
  rawStreamSchema,
  runStatusSchema,
  runViewSchema,
  usageSchema,
} from '../protocol/index.ts';

/** What is asked and answered besides what `protocol/http` names. */

const flag = (meaning: string) => z.enum(['0', '1']).optional().describe(meaning);
const count = (least: number, most = Number.MAX_SAFE_INTEGER) => z.coerce.number().int().min(least).max(most);
const offset = count(0);

export const runParams = z.strictObject({
  // Only told, not checked here: what is no id is a run that does not exist, and is answered as such.
  id: z.string().meta({
    pattern: `${RUN_ID_PATTERN.source}|${HANDLE_PATTERN.source}`,
    description: 'A run id or a handle.',
  }),
});
export const attemptParams = runParams.extend({ attempt: count(1, 1e6) });
export const rawParams = attemptParams.extend({ stream: rawStreamSchema });
export const approvalParams = z.strictObject({ id: z.string() });

export const listQuery = z.strictObject({
  status: runStatusSchema.optional(),
  engine: z.string().max(100).optional(),
  q: z.string().max(1000).optional().describe('Words looked for in prompts, commands and conversations.'),
  cursor: z.string().max(1000).optional(),
  limit: count(1, 500).default(50),
});

export const historyQuery = z.strictObject({
  from_seq: count(1).optional().describe('First event wanted.'),
  to_seq: count(0).optional().describe('Last event wanted.'),
  from_ts: z.iso.datetime({ offset: true }).optional(),
  to_ts: z.iso.datetime({ offset: true }).optional(),
  cursor: count(0).optional().describe('The last event known; what `next_cursor` said.'),
  type: z
    .string()
    .regex(/^[a-z_.,]{1,500}$/)
    .optional()
    .describe('A type or the beginning of one (`tool`, `tool.call.started`), or several with commas between them.'),
  limit: count(1, 10_000).default(100),
  deltas: flag('1: with the pieces in which messages came. Without them by default.'),
});
export type HistoryQuery = z.infer<typeof historyQuery>;

export const streamQuery = z.strictObject({
  cursor: count(0).optional().describe('The last event known; counts before the header Last-Event-ID.'),
  deltas: flag('0: without the pieces in which messages come. With them by default.'),
});

export const searchQuery = z.strictObject({
  q: z.string().min(1).max(1000).describe('Text that is looked for, as its bytes in UTF-8.'),
  from: offset.default(0).describe('Where to begin; what `next_from` said.'),
  limit: count(1, 1000).default(100),
  ignore_case: flag('1: A to Z and a to z are the same.'),
});

export const linesQuery = z.strictObject({
  around: offset.default(0).describe('A byte of the line in the middle.'),
  limit: count(1, 1000).default(41).describe('Lines, half of them before it.'),
  before: count(0, 500).optional().describe('Counts before `limit`.'),
  after: count(0, 500).optional().describe('Counts before `limit`.'),
});

export const timingQuery = z.strictObject({
  stream: rawStreamSchema.optional(),
  byte: offset.optional().describe('Asks when this byte of `stream` was read.'),
  ts: z.iso.datetime({ offset: true }).optional().describe('Asks how much had been read by then.'),
  cursor: offset.default(0).describe('Number of the first chunk to list.'),
  limit: count(0, 10_000).default(1000),
});

export const filesQuery = z.strictObject({ attempt: count(1, 1e6).optional() });
export const contentQuery = z.strictObject({ sha: z.string().regex(/^[0-9a-f]{64}$/) });
export const approvalsQuery = z.strictObject({ status: approvalSchema.shape.status.optional() });

/** Keys for the terminal of a live run. */
export const inputSchema = z
  .strictObject({
    text: z.string().max(65_536).optional(),
    base64: z.base64().max(131_072).optional().describe('Bytes that are not text.'),
  })
  .refine(({ text, base64 }) => (text === undefined) !== (base64 === undefined), 'give either text or base64');

export const resizeSchema = z.strictObject({
  cols: z.int().min(1).max(65_535),
  rows: z.int().min(1).max(65_535),
});

export const runListSchema = z.strictObject({
  runs: z.array(runViewSchema),
  next_cursor: z.string().nullable(),
  total: z.int().min(0),
});

/** A page of events or messages. */
export const pageOf = (event: z.ZodType) =>
  z.strictObject({
    events: z.array(event),
    next_cursor: z.int().min(1).nullable().describe('Ask again with it; null at the end of what was asked for.'),
    total: z.int().min(0).describe('All there are in the run, whatever was asked for.'),
  });

const lineShape = {
  line: z.int().min(1).describe('Counted from 1.'),
  byte_from: z.int().min(0),
  byte_to: z.int().min(0).describe('Without the line feed.'),
  text: z.string(),
  truncated: z.boolean().describe('The line is longer than the text shows.'),
};

export const searchAnswerSchema = z.strictObject({
  matches: z.array(
    z.strictObject({
      byte_from: z.int().min(0),
      byte_to: z.int().min(0),
      line: z.strictObject(lineShape).describe('The line it begins in; of a long one the part around it.'),
    }),
  ),
  next_from: z.int().min(0).nullable().describe('Where to go on; null when all was searched.'),
  size: z.int().min(0),
});

export const linesAnswerSchema = z.strictObject({
  lines: z.array(z.strictObject(lineShape)),
  size: z.int().min(0),
});

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
    .describe('What the engine said last; null when it said nothing, or is a plain command.'),
  structured_payload: z.unknown().describe('The JSON that message holds, where it does.'),
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
      kind: z.enum(['changed', 'missing', 'signature', 'chain', 'incomplete']),
      path: z.string(),
      byte: z.int().nullable(),
      line: z.int().nullable(),
      message: z.string(),
    }),
  ),
  checked: z.strictObject({ events: z.int(), files: z.int(), bytes: z.int(), attempts: z.int() }),
  keys: z.array(z.string()),
  foreign_keys: z.array(z.string()).describe('Keys that are not this installation’s.'),
});

export const healthSchema = z.strictObject({ status: z.literal('ok'), version: z.string() });

export const engineSchema = z.strictObject({
  name: z.string(),
  title: z.string(),
  installed: z.boolean(),
  path: z.string().nullable(),
  managed: z.boolean(),
  version: z.string().nullable(),
  tested_versions: z.array(z.string()),
  tested: z.boolean(),
  capabilities: z.record(z.string(), z.boolean()),
  install: z.strictObject({ package: z.string(), version: z.string(), needs_node: z.string().nullable() }).nullable(),
});
