import * as z from 'zod';
import { completionStateSchema, DONE_SIGNAL } from '../../protocol/index.ts';

const LINE = new RegExp(`^[ \\t]*${DONE_SIGNAL}[ \\t]+(.*)$`, 'gm');

/** Programs may add fields, such as the name of their skill; those are ignored. */
const doneSignalSchema = z.object({
  version: z.literal('1'),
  state: completionStateSchema,
  needs_user_input: z.boolean().optional(),
  reason_code: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]{0,63}$/)
    .optional(),
  result_kind: z.enum(['json_object', 'text', 'none']).optional(),
});
export type DoneSignal = z.infer<typeof doneSignalSchema>;

/** Lines by which a program reports how it ended; `signal` is null for a line that does not match the schema. */
export function findDoneSignals(text: string): { line: string; signal: DoneSignal | null }[] {
  if (!text.includes(DONE_SIGNAL)) return [];
  return [...text.matchAll(LINE)].map(([line, json]) => ({ line: line.trim(), signal: read(json!) }));
}

function read(json: string): DoneSignal | null {
  try {
    const parsed = doneSignalSchema.safeParse(JSON.parse(json));
    return parsed.success ? parsed.data : null;
  } catch {
    return null; // Not JSON.
  }
}
