import * as z from 'zod';

/** Why a tool call did not succeed. Stable: programs and models act on them. */
export const toolErrorKindSchema = z.enum([
  'unknown_tool',
  'invalid_arguments',
  'denied',
  'sandbox_denied',
  'path_outside',
  'not_found',
  'not_permitted',
  'conflict',
  'too_large',
  'timeout',
  'cancelled',
  'exit_code',
  'unavailable',
  'unknown_outcome',
  'hook_refused',
  'hook_failed',
  'failed',
]);
/** Why a tool call did not succeed; [tools](tools.md#results) has the meanings. */
export type ToolErrorKind = z.infer<typeof toolErrorKindSchema>;

/** What a tool call brought about, as the log and the model get it. */
export const toolResultSchema = z.strictObject({
  ok: z.boolean(),
  stdout: z.string().describe('Output of the call, or its answer as text.'),
  stderr: z.string().describe('Errors that were printed, or what failed and how to correct it.'),
  exit_code: z.int().nullable(),
  duration_ms: z.number(),
  truncated: z.boolean().describe('Output was left out; the artifacts have all of it.'),
  data: z.json().describe('Structured facts; null if there are none.'),
  error_kind: toolErrorKindSchema.nullable(),
  retryable: z.boolean(),
});
/** What a tool call brought about, as the log and the model get it. */
export type ToolResult = z.infer<typeof toolResultSchema>;

const variables = z
  .array(z.string())
  .optional()
  .describe('Names of variables that the call sets and that may change what programs do.');

/** What a call is about to do, in the terms that a policy judges. Paths are absolute. */
export const toolActionSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('shell'), line: z.string(), cwd: z.string(), variables }),
  z.strictObject({ kind: z.literal('program'), argv: z.array(z.string()).min(1), cwd: z.string(), variables }),
  z.strictObject({
    kind: z.literal('input'),
    terminal: z.string().describe('The session that the text is typed into.'),
    text: z.string().describe('Empty if the call only waits.'),
  }),
  z.strictObject({ kind: z.literal('read'), path: z.string() }),
  z.strictObject({ kind: z.literal('write'), path: z.string() }),
  z.strictObject({ kind: z.literal('delete'), path: z.string() }),
]);
/** What a call is about to do, in the terms that a policy judges. Paths are absolute. */
export type ToolAction = z.infer<typeof toolActionSchema>;
