import { classifyError } from '../classify-error.ts';
import type { Drafter } from '../drafter.ts';
import { isObject, type JsonObject, taken, textOf } from '../json-value.ts';
import { type Misread, unknownFields } from '../ndjson-parser.ts';
import type { Unit } from '../unit.ts';
import { failureOf } from './failure.ts';
import { documentUsage, mainModel } from './usage.ts';

const FIELDS = new Set(['session_id', 'response', 'stats', 'error', 'warnings']);
const ERROR = new Set(['type', 'message', 'code']);
const STATS = new Set(['models', 'tools', 'files']);

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
  if (isFailure) {
    const { code, message, facts } = failureOf(error.message as string, error);
    draft.error(code, message, unit, facts);
  }
  const usage = documentUsage(stats);
  draft.phase(isFailure ? 'error' : 'response', unit, usage ? { usage } : {});
  return (
    unknownFields('document', document, FIELDS) ??
    (isObject(error) ? unknownFields('document error', error, ERROR) : null) ??
    (isObject(stats) ? unknownFields('document stats', stats, STATS) : null)
  );
}
