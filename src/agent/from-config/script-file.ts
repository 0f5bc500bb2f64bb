import * as z from 'zod';
import { readRegularFile } from '../../files/index.ts';
import { TachoError } from '../../protocol/index.ts';
import type { ScriptTurn } from '../models/script.ts';

const step = z.union([
  z.strictObject({ type: z.enum(['text', 'reasoning']), text: z.string(), pieces: z.int().min(1).optional() }),
  z.strictObject({
    type: z.literal('call'),
    name: z.string(),
    arguments: z.union([z.record(z.string(), z.json()), z.string()]),
    id: z.string().optional(),
    pieces: z.int().min(1).optional(),
  }),
]);
const scriptSchema = z.array(z.union([z.string(), step, z.array(step)]));

/** The turns of a scripted model, from a JSON file. Throws CONFIG_INVALID. */
export function readScript(file: string): ScriptTurn[] {
  try {
    return scriptSchema.parse(JSON.parse(readRegularFile(file)));
  } catch (cause) {
    throw new TachoError('CONFIG_INVALID', `the script "${file}" of the model cannot be used: ${reasonOf(cause)}`, {
      facts: { path: 'models.executor', file },
      fix: 'With llm.provider scripted, models.executor is the path of a JSON file with a list of turns, such as ["Done."].',
      cause,
    });
  }
}

function reasonOf(cause: unknown): string {
  if (cause instanceof z.ZodError) return z.prettifyError(cause).split('\n')[0]!;
  return cause instanceof Error ? cause.message : String(cause);
}
