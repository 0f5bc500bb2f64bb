import type { DiagnosticCode } from '../../protocol/index.ts';
import { classifyError } from '../classify-error.ts';
import type { Drafter } from '../drafter.ts';
import { isObject, type JsonObject, taken, textOf } from '../json-value.ts';
import { type Misread, unknownFields } from '../ndjson-parser.ts';
import type { Unit } from '../unit.ts';
import { documentUsage, mainModel } from './usage.ts';

const FIELDS = new Set(['session_id', 'response', 'stats', 'error', 'warnings']);
const ERROR = new Set(['type', 'message', 'code']);
const STATS = new Set(['models', 'tools', 'files']);

/** Exit codes of gemini, and HTTP codes of its service, that say more than the message beside them. */
const CODES: Readonly<Record<number, DiagnosticCode>> = {
  41: 'ENGINE_AUTH_REQUIRED',
  55: 'ENGINE_NOT_TRUSTED',
  401: 'ENGINE_AUTH_REQUIRED',
  403: 'ENGINE_AUTH_REQUIRED',
  429: 'ENGINE_RATE_LIMITED',
};

/** The one document of `--output-format json`. It counts tool calls but does not list them. */
export function readDocument(draft: Drafter, document: JsonObject, unit: Unit): Misread | null {
  const { session_id, response, stats, error, warnings = [] } = document;
  const isAnswer = typeof response === 'string';
  const isFailure = isObject(error) && typeof error.message === 'string';
  const isWhole =
    (isAnswer || response === undefined) &&
    (isFailure || error === undefined) &&
    (stats === undefined || documentUsage(stats) !== null) &&
    (session_id === undefined || typeof session_id === 'string') &&
    Array.isArray(warnings);
  if (!isWhole || !(isAnswer || isFailure)) return { event_type: 'document', problem: 'unexpected shape' };

  if (typeof session_id === 'string') {
    const model = mainModel(stats);
    draft.openSession(session_id, 'session', unit, model === null ? {} : { model });
  }
  for (const warning of warnings) {
    const message = textOf(warning) ?? JSON.stringify(taken(warning));
    draft.error(classifyError(message), message, unit, { severity: 'warning' });
  }
  if (isAnswer && response !== '') draft.final(draft.derivedId(unit), response, unit);
  if (isFailure) readError(draft, error, unit);
  const usage = documentUsage(stats);
  draft.phase(isFailure ? 'error' : 'response', unit, usage ? { usage } : {});
  return (
    unknownFields('document', document, FIELDS) ??
    (isObject(error) ? unknownFields('document error', error, ERROR) : null) ??
    (isObject(stats) ? unknownFields('document stats', stats, STATS) : null)
  );
}

function readError(draft: Drafter, { message, type, code }: JsonObject, unit: Unit): void {
  const text = message as string;
  const known = typeof code === 'number' && Object.hasOwn(CODES, code) ? CODES[code] : undefined;
  const facts = {
    ...(type === undefined ? {} : { error_type: taken(type) }),
    ...(code === undefined ? {} : { error_code: taken(code) }),
  };
  draft.error(known ?? classifyError(text), text, unit, facts);
}
