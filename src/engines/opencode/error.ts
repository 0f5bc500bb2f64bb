import { describeError } from '../classify-error.ts';
import type { Drafter } from '../drafter.ts';
import { causeOf } from '../error-cause.ts';
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
  const told = message ?? name ?? 'opencode reported an error';
  const { code, message: text, facts } = describeError(told, { status, kinds: [name, ...answerKinds(error)] });
  draft.error(code, text, unit, { ...(name === null ? {} : { name }), ...facts });

  if (!isObject(error)) return { event_type: 'error', problem: 'unexpected shape' };
  return unknownFields('error', event, EVENT_FIELDS) ?? unknownFields('error error', error, ERROR_FIELDS);
}

/** The service's own words for the error, in the answer it sent. */
function answerKinds(error: unknown): readonly string[] {
  const body = textOf(fieldOf(error, 'data', 'responseBody'));
  return body === null ? [] : causeOf(body).kinds;
}
