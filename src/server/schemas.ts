import * as z from 'zod';
import {
  agentChoice,
  approvalSchema,
  HANDLE_PATTERN,
  RUN_ID_PATTERN,
  rawStreamSchema,
  runStatusSchema,
} from '../protocol/index.ts';
import { CURSOR_PATTERN } from './terminals/cursors.ts';

/** Request parameters that are not in `protocol/http`. */

const flag = (meaning: string) => z.enum(['0', '1']).optional().describe(meaning);
const count = (least: number, most = Number.MAX_SAFE_INTEGER) => z.coerce.number().int().min(least).max(most);
const offset = count(0);
const FULL = flag('1: with the whole text of raw output, where the record has its beginning only.');

export const runParams = z.strictObject({
  // Only documented, not checked here: an invalid id gets the same answer as an unknown run.
  id: z.string().meta({
    pattern: `${RUN_ID_PATTERN.source}|${HANDLE_PATTERN.source}`,
    description: 'A run id or a handle.',
  }),
});
export const artifactParams = runParams.extend({
  path: z.string().describe('The path of an artifact, percent-encoded: `report%2Findex.md`.'),
});
export const attemptParams = runParams.extend({ attempt: count(1, 1e6) });
export const rawParams = attemptParams.extend({ stream: rawStreamSchema });
export const approvalParams = z.strictObject({ id: z.string() });
export const terminalParams = z.strictObject({ id: z.string().describe('A `terminal_id`.') });

export const skillParams = z.strictObject({
  name: z.string().describe('A name, or a mention such as `$[team:product].review`, percent-encoded.'),
});

export const skillsQuery = z.strictObject({
  q: z.string().max(1000).optional().describe('Words to search for in names and descriptions.'),
  cursor: z.string().max(1000).optional().describe('What `next_cursor` said.'),
  limit: count(1, 1000).default(100),
  refresh: flag('1: asks all sources now, whatever `skills.refresh` says.'),
});

export const sinceBody = z.strictObject({
  since: z.string().max(1000).describe('The line of `tacho ledger head`, as it was kept.'),
  deep: z.boolean().optional().describe('Also recompute every hash of every run.'),
});

/** Loose, because a request has other headers too. */
export const startHeaders = z.looseObject({
  'idempotency-key': z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Names this request: sent again within 24 hours, it gets the same run.'),
});

export const listQuery = z.strictObject({
  status: runStatusSchema.optional(),
  engine: z.string().max(100).optional(),
  q: z.string().max(1000).optional().describe('Words to search for in prompts, commands and conversations.'),
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
  full: FULL,
});
export type HistoryQuery = z.infer<typeof historyQuery>;

export const streamQuery = z.strictObject({
  cursor: count(0).optional().describe('The last event known; counts before the header Last-Event-ID.'),
  deltas: flag('0: without the pieces in which messages come. With them by default.'),
  full: FULL,
});

export const terminalStreamQuery = z.strictObject({
  cursor: z
    .string()
    .regex(CURSOR_PATTERN)
    .optional()
    .describe('The `id` of the last frame known; counts before the header Last-Event-ID.'),
});

export const searchQuery = z.strictObject({
  q: z.string().min(1).max(1000).describe('Text to search for, as UTF-8 bytes.'),
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

export const agentQuery = z.strictObject({
  agent: agentChoice,
  after_step: count(0).default(0).describe('The last step known; what `next_step` said.'),
  limit: count(1, 1000).default(200).describe('Steps.'),
});

export const agentPromptQuery = z.strictObject({
  agent: agentChoice,
  step: count(1).optional().describe('The newest one by default.'),
  after_message: count(-1).default(-1).describe('The last message known; what `next_message` said.'),
  limit: count(1, 500).default(100).describe('Messages; fewer if they are long.'),
});

export const replayQuery = z.strictObject({ agent: agentChoice });

export const filesQuery = z.strictObject({ attempt: count(1, 1e6).optional() });
export const contentQuery = z.strictObject({ sha: z.string().regex(/^[0-9a-f]{64}$/) });
export const approvalsQuery = z.strictObject({ status: approvalSchema.shape.status.optional() });

/** Keys for a terminal. */
export const inputSchema = z
  .strictObject({
    text: z.string().max(65_536).optional(),
    base64: z.base64().max(131_072).optional().describe('Bytes that are not text.'),
  })
  .refine(({ text, base64 }) => (text === undefined) !== (base64 === undefined), 'give either text or base64');

/** Input for a run's terminal. */
export const runInputSchema = inputSchema.safeExtend({
  piped: z.boolean().default(false).describe('The program reads exactly these bytes, as from a pipe.'),
  end: z.boolean().default(false).describe('The piped input ends here.'),
});

export const resizeSchema = z.strictObject({
  cols: z.int().min(1).max(65_535),
  rows: z.int().min(1).max(65_535),
});
