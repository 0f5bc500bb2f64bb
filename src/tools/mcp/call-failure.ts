import { ToolFailure } from '../tool-failure.ts';
import { visibleLine } from './foreign-text.ts';
import type { Ending } from './server-transport.ts';

const MAX_SHOWN = 600;
const TIMEOUT = 'REQUEST_TIMEOUT';
const AGAIN =
  'It is started again for the next call. It is unknown whether this call took effect: verify before retrying.';

/** Whether the connection cannot be used any more. An error that the server reports leaves it as it is. */
export function isOver(error: unknown): boolean {
  return !(error instanceof ToolFailure) && typeof codeOf(error) !== 'number';
}

/** What an error of the client means for the call that it happened in. */
export function failureOf(
  error: unknown,
  { server, ending, timeoutMs }: { server: string; ending: Ending | null; timeoutMs: number },
): ToolFailure {
  if (error instanceof ToolFailure) return error;
  const who = `the MCP server ${server}`;
  const fail = (kind: ToolFailure['kind'], what: string, isRetryable: boolean) =>
    new ToolFailure(kind, what, { retryable: isRetryable, cause: error });
  if (ending) return fail(ending.kind, `${who} failed: ${ending.message}. ${AGAIN}`, true);
  const code = codeOf(error);
  if (code === TIMEOUT) return fail('timeout', `${who} did not answer within ${timeoutMs} ms. ${AGAIN}`, true);
  if (typeof code === 'number') return fail('failed', `${who} reports an error: ${messageOf(error)}`, true);
  return fail('unavailable', `${who} cannot be reached: ${messageOf(error)}. ${AGAIN}`, true);
}

/** Why a server could not be opened, for people. */
export function openFailure(error: unknown, { timeoutMs }: { timeoutMs: number }): Error {
  const isTimeout = codeOf(error) === TIMEOUT;
  const words = (error as { lastWords?: string }).lastWords;
  const what = isTimeout ? `it did not answer within ${timeoutMs} ms` : messageOf(error);
  return new Error(words ? `${what} (${words})` : what, { cause: error });
}

/** Numbers are errors that the server reports; texts are those of the client. */
function codeOf(error: unknown): unknown {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  return code ?? cause?.code;
}

function messageOf(error: unknown): string {
  const { message, cause } = error as { message?: unknown; cause?: { message?: unknown } };
  // What fetch says by itself is that it failed.
  const why = typeof cause?.message === 'string' && cause.message !== message ? `: ${cause.message}` : '';
  return visibleLine(`${String(message ?? error)}${why}`, MAX_SHOWN);
}
