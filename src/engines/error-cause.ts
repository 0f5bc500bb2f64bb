import { fieldOf, integerOf, isObject, type JsonObject, textOf } from './json-value.ts';

/** What a failed request says about itself, taken out of the text in which an engine passes it on. */
export interface ErrorCause {
  message: string;
  /** The HTTP status, if it is told. */
  status: number | null;
  /** The service's own words for the error, such as `invalid_request_error`. */
  kinds: readonly string[];
}

/** An answer may quote another one. */
const DEEPEST = 3;
const STATUS = /^(\d{3})\b|\bstatus:? (\d{3})\b/;
const PARTS = /^(\[?)([^{]*)(\{.*\})(\]?)\s*$/s;
const ONLY_STATUS = /^\W*(?:\d{3}\W*)?$/;

/** Services answer with JSON, and engines pass it on as text: all of it, behind a status or a few words, in brackets. */
export function causeOf(text: string, depth = 0): ErrorCause {
  const [, opening = '', words = '', json = '', closing = ''] = PARTS.exec(text) ?? [];
  const body = opening.length === closing.length ? objectOf(json) : null;
  const inner = isObject(body?.error) ? body.error : body;
  const message = textOf(inner?.message);
  if (!body || !inner || message === null) return { message: text, status: statusIn(text), kinds: [] };
  const quoted = depth < DEEPEST ? causeOf(message, depth + 1) : { message, status: null, kinds: [] };
  return {
    message: ONLY_STATUS.test(words) ? quoted.message : words + quoted.message,
    status: statusOf(body) ?? statusOf(inner) ?? statusIn(words) ?? quoted.status,
    kinds: [...kindsOf(inner), ...quoted.kinds],
  };
}

function statusOf(object: JsonObject): number | null {
  return [object.status, object.statusCode, object.code].map(integerOf).find(isStatus) ?? null;
}

function statusIn(text: string): number | null {
  const [, first, named] = STATUS.exec(text) ?? [];
  const status = Number(first ?? named);
  return isStatus(status) ? status : null;
}

function isStatus(value: number | null): value is number {
  return value !== null && value >= 400 && value < 600;
}

function kindsOf(object: JsonObject): string[] {
  return ['type', 'code', 'status'].map((name) => textOf(fieldOf(object, name))).filter((kind) => kind !== null);
}

function objectOf(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null; // Braces, but not JSON.
  }
}
