import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { descriptorShortage } from '../files/index.ts';
import { type ErrorAnswer, TachoError } from '../protocol/index.ts';
import { ERROR_STATUS } from './error-status.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

/** Used when the director gives no time. */
const RETRY_AFTER_SECONDS = 5;

/** Sends any thrown error in the server's one error format. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { status, answer } = describeError(error);
  if (status >= 500) request.log.error({ err: error }, 'request failed');
  else request.log.debug({ code: answer.error.code, reason: answer.error.message }, 'request refused');
  // A malformed URL gets here before any hook has run.
  reply.headers(SECURITY_HEADERS);
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  if (status === 429 || status === 503) reply.header('retry-after', String(retryAfterOf(error)));
  reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(answer));
}

export function describeError(error: unknown): { status: number; answer: ErrorAnswer } {
  const known =
    descriptorShortage('server', error) ?? (error instanceof TachoError ? error : translated(error as FastifyError));
  const { code, message, fix, facts } = known;
  const asked = facts.http_status;
  const details = Object.fromEntries(Object.entries(facts).filter(([name]) => name !== 'http_status'));
  return {
    status: typeof asked === 'number' ? asked : ERROR_STATUS[code],
    answer: {
      error: {
        code,
        message,
        ...(fix === undefined ? {} : { fix }),
        ...(Object.keys(details).length === 0 ? {} : { details }),
      },
    },
  };
}

/** Translates errors of the framework. Any other error is a bug, and its message is only logged. */
function translated(error: FastifyError): TachoError {
  if (error.validation !== undefined) return invalid(error);
  const { statusCode = 500, code, message } = error;
  // The client has disconnected and reads no response; this is not a server error.
  if (error.name === 'AbortError') {
    return new TachoError('INVALID_REQUEST', 'the client went away', { facts: { http_status: 499 } });
  }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new TachoError('BODY_TOO_LARGE', 'the request is larger than the server takes', { facts: { code } });
  }
  if (statusCode === 404) return new TachoError('NOT_FOUND', message);
  if (statusCode >= 400 && statusCode < 500) {
    return new TachoError('INVALID_REQUEST', message, { facts: { http_status: statusCode } });
  }
  return new TachoError('INTERNAL', 'internal error; see the server log', {
    facts: { http_status: 500 },
  });
}

function invalid({ validation = [], validationContext }: FastifyError): TachoError {
  const issues = validation.slice(0, 20).map(({ instancePath, message }) => ({ path: instancePath, message }));
  const [first] = issues;
  // A path that does not match its schema cannot exist.
  if (validationContext === 'params') {
    return new TachoError('NOT_FOUND', `there is nothing at this address: ${first?.path.slice(1)} ${first?.message}`);
  }
  const place = validationContext === 'querystring' ? 'query' : (validationContext ?? 'request');
  return new TachoError('INVALID_REQUEST', `${place}${first?.path === '/' ? '' : first?.path}: ${first?.message}`, {
    facts: { issues },
    fix: 'See /v1/openapi.json for what the server takes.',
  });
}

function retryAfterOf(error: unknown): number {
  const given = error instanceof TachoError ? Number(error.facts.retry_after_ms) : Number.NaN;
  return Number.isFinite(given) ? Math.max(1, Math.ceil(given / 1000)) : RETRY_AFTER_SECONDS;
}
