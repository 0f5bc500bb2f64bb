import * as z from 'zod';
import type { TachoError } from '../../../src/protocol/index.ts';
import type { FormField } from './new-run.ts';

/** Why the server rejected a form: per field, and in general. */
export interface Refusal {
  fields: Partial<Record<FormField, string>>;
  /** Not related to a field. */
  general: string | null;
  fix: string | null;
}

const issuesSchema = z.array(z.looseObject({ path: z.string(), message: z.string() }));

const FIELD_OF_PATH: Readonly<Record<string, FormField>> = {
  '/engine': 'engine',
  '/prompt': 'prompt',
  '/command': 'command',
  '/model': 'model',
  '/cwd': 'cwd',
  '/files': 'files',
  '/limits/timeout_ms': 'timeout',
  '/limits/no_progress_timeout_ms': 'noProgress',
  '/limits/max_attempts': 'attempts',
  '/limits/total_tokens': 'tokens',
  '/limits/cost_usd': 'cost',
  '/priority': 'priority',
  '/auto_reply/after_ms': 'replyAfter',
  '/auto_reply/text': 'replyText',
};

const FIELD_OF_CODE: Readonly<Record<string, FormField>> = {
  CWD_NOT_FOUND: 'cwd',
  COMMAND_NOT_FOUND: 'command',
  COMMAND_NOT_EXECUTABLE: 'command',
  UNKNOWN_ENGINE: 'engine',
  ENGINE_NOT_INSTALLED: 'engine',
  ENGINE_UNSUPPORTED: 'engine',
  PROMPT_INVALID: 'prompt',
  PROMPT_TOO_LONG: 'prompt',
};

export function refusalOf(error: TachoError): Refusal {
  const fields: Refusal['fields'] = {};
  for (const { path, message } of issuesOf(error)) {
    const field = FIELD_OF_PATH[path] ?? FIELD_OF_PATH[path.replace(/\/\d+$/, '')];
    if (field !== undefined) fields[field] ??= message;
  }
  const named = FIELD_OF_CODE[error.code];
  if (named !== undefined) fields[named] = error.message;
  const isPlaced = Object.keys(fields).length > 0;
  // The server's advice about a schema is for programs; at a field, the message is enough.
  const fix = isPlaced && error.code === 'INVALID_REQUEST' ? null : (error.fix ?? null);
  return { fields, general: isPlaced ? null : error.message, fix };
}

function issuesOf({ facts }: TachoError): z.infer<typeof issuesSchema> {
  return issuesSchema.safeParse(facts.issues).data ?? [];
}
