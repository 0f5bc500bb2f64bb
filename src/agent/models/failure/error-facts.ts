type Fields = Readonly<Record<string, unknown>>;

/** What an error says about itself, whatever threw it: a provider, `fetch`, or a frame in the middle of a stream. */
export interface ErrorFacts {
  status: number | null;
  message: string;
  /** The service's own words for the kind of error, and codes of the system such as ECONNRESET. */
  codes: readonly string[];
  /** With names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Names of the errors, for example AI_APICallError. */
  names: readonly string[];
}

/** A cause may have a cause of its own. */
const MAX_DEPTH = 5;
const CODE_FIELDS = ['code', 'type', 'status'] as const;
/** What packages write around an error of the connection, which says more. */
const WRAPPED = /^Failed to process (?:successful|error) response$/;
/** Errors that quote the response, which may be anything and long. */
const QUOTING = /JSONParseError|TypeValidationError/;

/** Only reads fields, so it works for every version of the provider packages, and no package has to be loaded. */
export function errorFacts(error: unknown): ErrorFacts {
  const codes: string[] = [];
  const names: string[] = [];
  const messages: string[] = [];
  let status: number | null = null;
  let headers: Record<string, string> = {};
  let current = error;
  for (let depth = 0; depth < MAX_DEPTH && current !== undefined && current !== null; depth++) {
    if (typeof current === 'string') {
      messages.push(current);
      break;
    }
    if (!isFields(current)) break;
    if (current instanceof Error) names.push(current.name);
    if (typeof current.name === 'string' && QUOTING.test(current.name)) {
      if (isErrorFrame(current.value)) collect(current.value, codes, messages);
      messages.push('the response cannot be read');
      break;
    }
    status ??= statusIn(current.statusCode) ?? statusIn(current.status) ?? statusIn(current.code);
    if (isFields(current.responseHeaders)) headers = lowerCased(current.responseHeaders);
    // A body says more than the sentence that a package made of it.
    for (const body of [current.data, parsed(current.responseBody), current]) collect(body, codes, messages);
    current = current.cause;
  }
  const message = messages.find((text) => text.trim() !== '' && !WRAPPED.test(text)) ?? '';
  return { status, message, codes, headers, names };
}

/** The shapes in use: `{error: {message}}`, `{error: 'text'}`, `{message}`, `{detail: 'text'}`, `[{error: …}]`. */
function collect(value: unknown, codes: string[], messages: string[]): void {
  const body = Array.isArray(value) ? value[0] : value;
  if (!isFields(body)) return;
  const response = isFields(body.response) ? body.response : body;
  if (typeof response.error === 'string') messages.push(response.error);
  const inner = isFields(response.error) ? response.error : response;
  for (const text of [inner.message, inner.detail]) if (typeof text === 'string') messages.push(text);
  for (const field of CODE_FIELDS) {
    const code = inner[field];
    if (typeof code === 'string' && code !== 'error') codes.push(code);
  }
}

/** An error that a server sends in the middle of a stream in a shape of its own. */
function isErrorFrame(value: unknown): boolean {
  return isFields(value) && ('error' in value || 'detail' in value || value.object === 'error');
}

function statusIn(value: unknown): number | null {
  const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof status === 'number' && status >= 400 && status < 600 ? status : null;
}

function lowerCased(headers: Fields): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string') found[name.toLowerCase()] = value;
  }
  return found;
}

function parsed(text: unknown): unknown {
  if (typeof text !== 'string' || !/^\s*[[{]/.test(text)) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null; // A page of a proxy, or cut off; the status says enough.
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
