import { type ErrorAnswer, type ErrorCode, EXIT_CODES, errorAnswerSchema, TachoError } from '../protocol/index.ts';

/** The meaning of a status if the answer is not from tacho: a proxy in between, or another server. */
const CODE_OF_STATUS: Readonly<Record<number, ErrorCode>> = {
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  413: 'BODY_TOO_LARGE',
  502: 'SERVER_UNREACHABLE',
  503: 'SERVER_UNREACHABLE',
  504: 'SERVER_UNREACHABLE',
};

/** The error in an answer, as the server threw it. */
export function errorOfAnswer(response: Pick<Response, 'status' | 'headers'>, body: string, url: string): TachoError {
  const { status } = response;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  const facts = { http_status: status, url, ...(Number.isFinite(seconds) ? { retry_after_ms: seconds * 1000 } : {}) };
  const answer = errorAnswerSchema.safeParse(parseJson(body));
  if (!answer.success) {
    const message = `the server answered ${status} without saying why`;
    return new TachoError(CODE_OF_STATUS[status] ?? 'INTERNAL', message, {
      facts: { ...facts, body: body.slice(0, 500) },
      fix: 'Check that the address is that of a tacho server.',
    });
  }
  return errorFromServer(answer.data.error, facts);
}

/** An unknown code of a newer server is kept as a fact. */
export function errorFromServer(
  { code, message, fix, details }: ErrorAnswer['error'],
  facts: Record<string, unknown>,
): TachoError {
  const known = Object.hasOwn(EXIT_CODES, code);
  return new TachoError(known ? (code as ErrorCode) : 'INTERNAL', message, {
    facts: { ...details, ...facts, ...(known ? {} : { server_code: code }) },
    ...(fix === undefined ? {} : { fix }),
  });
}

export function unreachable(url: string, cause: unknown): TachoError {
  const reason = cause instanceof Error ? reasonOf(cause) : String(cause);
  return new TachoError('SERVER_UNREACHABLE', `the server does not answer: ${reason}`, {
    facts: { url },
    fix: 'Start it with: tacho start',
    cause,
  });
}

/** The answer is complete, but does not match the protocol. */
export function invalidAnswer(url: string, problem: string, cause?: unknown): TachoError {
  return new TachoError('INTERNAL', `the server’s answer cannot be understood: ${problem}`, {
    facts: { url },
    fix: 'Check that the address is that of a tacho server, and that client and server are of the same version.',
    cause,
  });
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // The caller reports the invalid value.
  }
}

/** fetch says "fetch failed" and keeps the reason as the cause. */
function reasonOf(error: Error): string {
  return error.cause instanceof Error ? error.cause.message || reasonOf(error.cause) : error.message;
}
