import { TachoError, type ToolErrorKind } from '../../protocol/index.ts';
import { ToolFailure } from '../../tools/tool-failure.ts';

export function agentNotFound(id: string): TachoError {
  return new TachoError('AGENT_NOT_FOUND', `there is no child agent "${id.slice(0, 128)}"`, {
    facts: { agent_id: id },
    fix: 'Use the agent_id that its spawn returned.',
  });
}

export function agentLimitReached(max: number): TachoError {
  return new TachoError('AGENT_LIMIT_REACHED', `${max} child agents run already`, {
    facts: { max_agents: max },
    fix: 'Wait until one has ended, close one, or raise runtime.max_agents.',
  });
}

export function agentTooDeep(max: number): TachoError {
  return new TachoError(
    'AGENT_TOO_DEEP',
    `a child agent cannot have children more than ${max} levels below the first`,
    {
      facts: { max_agent_depth: max },
      fix: 'Do the work in this agent, or raise runtime.max_agent_depth.',
    },
  );
}

export function agentNotRunning(id: string, status: string): TachoError {
  return new TachoError('AGENT_NOT_RUNNING', `the agent "${id}" does not run: it is ${status}`, {
    facts: { agent_id: id, status },
    fix: 'Resume it first, if it was closed or interrupted; an agent that has ended cannot continue.',
  });
}

const KINDS: Partial<Record<TachoError['code'], { kind: ToolErrorKind; retryable?: boolean }>> = {
  AGENT_NOT_FOUND: { kind: 'not_found' },
  AGENT_LIMIT_REACHED: { kind: 'unavailable', retryable: true },
  AGENT_TOO_DEEP: { kind: 'not_permitted' },
  AGENT_NOT_RUNNING: { kind: 'conflict' },
  RUN_LOCKED: { kind: 'conflict', retryable: true },
  RUN_ENDED: { kind: 'conflict' },
  INVALID_PARAMS: { kind: 'invalid_arguments' },
  SERVER_UNREACHABLE: { kind: 'unavailable', retryable: true },
};

/** What a model gets for what went wrong with a child. */
export function toolFailureOf(error: unknown): unknown {
  if (!(error instanceof TachoError)) return error;
  const { kind, retryable = false } = KINDS[error.code] ?? { kind: 'unavailable' as const };
  const message = error.fix === undefined ? error.message : `${error.message}. ${error.fix}`;
  return new ToolFailure(kind, message, { data: { code: error.code }, retryable, cause: error });
}

export function agentHeldElsewhere(id: string): TachoError {
  return new TachoError('RUN_LOCKED', `another process carries out the agent "${id}"`, {
    facts: { agent_id: id },
    fix: 'Wait until it has ended there.',
  });
}

export function runtimeEnding(): TachoError {
  return new TachoError('SERVER_UNREACHABLE', 'the runtime is ending, so no agent can be started', {
    fix: 'Try it again.',
  });
}
