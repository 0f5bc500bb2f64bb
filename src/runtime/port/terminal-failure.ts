import { TachoError } from '../../protocol/index.ts';
import { ToolFailure } from '../../tools/tool-failure.ts';

export function noSuchTerminal(sessionId: string): ToolFailure {
  return new ToolFailure(
    'not_found',
    `there is no terminal ${JSON.stringify(sessionId.slice(0, 100))} of an agent of this workspace; ` +
      'it was never opened, was closed, or ended with the runtime of the workspace. exec_command opens a new one.',
  );
}

export function terminalEnded(sessionId: string, how: string): ToolFailure {
  return new ToolFailure(
    'conflict',
    `the terminal ${sessionId} has ended (${how}), so nothing was typed. ` +
      'Without text, write_stdin returns the rest of its output; exec_command opens a new terminal.',
  );
}

export function callCancelled(): ToolFailure {
  return new ToolFailure('cancelled', 'the call was cancelled');
}

/** What the daemon of the workspace refuses, or that it cannot be reached, as the model gets it. */
export function terminalFailure(error: unknown, sessionId?: string): unknown {
  if (!(error instanceof TachoError)) return error;
  const { code, message, facts, fix } = error;
  const failure = (kind: ToolFailure['kind'], text: string, retryable = false) =>
    new ToolFailure(kind, text, { retryable, data: { code }, cause: error });
  switch (code) {
    case 'SESSION_NOT_FOUND':
      return noSuchTerminal(sessionId ?? '');
    case 'SESSION_TERMINATED':
    case 'SESSION_LIMIT_EXCEEDED':
      if (facts.reason === 'failed') return failure('sandbox_denied', NOT_BEGUN);
      return terminalEnded(sessionId ?? '', message);
    case 'MAX_SESSIONS_REACHED':
      return failure('unavailable', `${message} in this workspace: end one of them and try again`, true);
    case 'RESOURCE_PRESSURE':
      return failure('unavailable', `${message}: wait with write_stdin without text, and try again`, true);
    case 'LIMIT_UNAVAILABLE':
      return failure('sandbox_denied', message);
    case 'INVALID_PARAMS':
      // A daemon of another version that does not know the profile must not be used without it.
      return failure(/^session\.create: sandbox/.test(message) ? 'sandbox_denied' : 'invalid_arguments', message);
    case 'SERVER_UNREACHABLE':
      return failure('unavailable', `${sessionId === undefined ? NOT_OPENED : GONE} (${message})`, true);
    default:
      return failure('unavailable', fix === undefined ? message : `${message}. ${fix}`);
  }
}

const NOT_BEGUN = 'the sandbox of the terminal could not be started, so its program never ran';
const NOT_OPENED =
  'the runtime of the workspace could not be started, or ended meanwhile: there is no terminal. ' +
  'It is unknown whether the command began';
const GONE =
  'the runtime of the workspace does not answer: it has ended, and its terminals with it. ' +
  'exec_command starts a new one';
