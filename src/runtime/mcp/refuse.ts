import type { CallToolResult } from '@modelcontextprotocol/server';
import { type ErrorCode, TachoError } from '../../protocol/index.ts';

/** What a model can do about an error, in terms of the tools. */
const ADVICE: Partial<Record<ErrorCode, string>> = {
  INVALID_PARAMS: 'Correct the arguments and call again.',
  SESSION_NOT_FOUND: 'list_sessions shows those there are; open_session opens another.',
  SESSION_BUSY: 'Wait for its command (read_output), end that one (send_signal with SIGINT), or open another session.',
  SESSION_TERMINATED: 'Use read_output to read its output, or open_session to open another.',
  SESSION_LIMIT_EXCEEDED: 'Open another session, with a higher limit or for less work.',
  MAX_SESSIONS_REACHED: 'Close one that is not needed with close_session.',
  RESOURCE_PRESSURE: 'Wait a little and call again.',
  LIMIT_UNAVAILABLE: 'This machine cannot provide it. Call again without it only if the work does not depend on it.',
  COMMAND_UNAVAILABLE: 'Check the name of the program, and that it is installed.',
  NOT_FOUND: 'list_files shows what is there.',
  FORBIDDEN: 'Only files inside the workspace can be reached.',
  SERVER_UNREACHABLE:
    'Call again: the daemon is started when it is needed. Sessions it had may be gone; see list_sessions.',
  TARGET_UNREACHABLE: 'Call again later, or work on another target. Its sessions live on meanwhile; see list_sessions.',
  INTERNAL_ERROR: 'This is a bug in tacho, not in the call.',
};

/** The result of a call that failed. The model has to read it and act on it, so it is not a protocol error. */
export function refuse(cause: unknown): CallToolResult {
  const error = cause instanceof TachoError ? cause : unexpected(cause);
  const { code, message, facts } = error;
  const fix = error.fix ?? ADVICE[code];
  return {
    isError: true,
    content: [{ type: 'text', text: `${code}: ${message}${fix === undefined ? '' : `\n${fix}`}` }],
    _meta: { 'tacho/error': { code, message, facts, ...(fix !== undefined && { fix }) } },
  };
}

function unexpected(cause: unknown): TachoError {
  return new TachoError('INTERNAL_ERROR', cause instanceof Error ? cause.message : String(cause), { cause });
}
