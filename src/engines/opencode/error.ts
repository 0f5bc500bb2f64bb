import type { DiagnosticCode } from '../../protocol/index.ts';
import { classifyStatus } from '../classify-error.ts';
import type { Drafter } from '../drafter.ts';
import { fieldOf, integerOf, isObject, type JsonObject, textOf } from '../json-value.ts';
import { type Misread, unknownFields } from '../ndjson-parser.ts';
import type { Unit } from '../unit.ts';

const EVENT_FIELDS: ReadonlySet<string> = new Set(['type', 'timestamp', 'sessionID', 'error']);
const ERROR_FIELDS: ReadonlySet<string> = new Set(['name', 'data', 'message']);

/** Failures that are not worth another try. The session may be reported here first. */
export function readError(draft: Drafter, event: JsonObject, unit: Unit): Misread | null {
  const session = textOf(event.sessionID);
  if (session !== null && session !== draft.session) draft.openSession(session, 'error', unit);
  else draft.phase('error', unit);

  const { error } = event;
  const name = textOf(fieldOf(error, 'name'));
  const message = textOf(fieldOf(error, 'data', 'message')) ?? textOf(fieldOf(error, 'message')) ?? textOf(error);
  const status = integerOf(fieldOf(error, 'data', 'statusCode'));
  draft.error(codeOf(name, status, message ?? ''), message ?? name ?? 'opencode reported an error', unit, {
    ...(name === null ? {} : { name }),
    ...(status === null ? {} : { status_code: status }),
  });

  if (!isObject(error)) return { event_type: 'error', problem: 'unexpected shape' };
  return unknownFields('error', event, EVENT_FIELDS) ?? unknownFields('error error', error, ERROR_FIELDS);
}

function codeOf(name: string | null, status: number | null, message: string): DiagnosticCode {
  return name === 'ProviderAuthError' ? 'ENGINE_AUTH_REQUIRED' : classifyStatus(status, message);
}
