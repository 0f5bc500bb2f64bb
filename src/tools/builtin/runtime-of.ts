import type { ToolContext } from '../context.ts';
import type { AgentPort, RuntimeParts, TerminalPort } from '../runtime-port.ts';
import { ToolFailure } from '../tool-failure.ts';

export function terminalsOf({ runtime }: ToolContext): TerminalPort {
  if (hasTerminals(runtime)) return runtime;
  throw missing('terminals');
}

export function agentsOf({ runtime }: ToolContext): AgentPort {
  if (hasAgents(runtime)) return runtime;
  throw missing('child agents');
}

export function hasTerminals(runtime: RuntimeParts | null | undefined): runtime is RuntimeParts & TerminalPort {
  return runtime?.execCommand !== undefined;
}

export function hasAgents(runtime: RuntimeParts | null | undefined): runtime is RuntimeParts & AgentPort {
  return runtime?.spawnAgent !== undefined;
}

function missing(what: string): ToolFailure {
  return new ToolFailure('unavailable', `${what} need a workspace runtime, which this run does not have`);
}
