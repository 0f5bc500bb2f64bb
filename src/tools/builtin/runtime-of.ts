import type { ToolContext } from '../context.ts';
import type { AgentPort, RuntimeParts, TerminalPort } from '../runtime-port.ts';
import { ToolFailure } from '../tool-failure.ts';

export function terminalsOf({ runtime }: ToolContext): TerminalPort {
  if (runtime?.execCommand) return runtime as TerminalPort;
  throw missing('terminals');
}

export function agentsOf({ runtime }: ToolContext): AgentPort {
  if (runtime?.spawnAgent) return runtime as AgentPort;
  throw missing('child agents');
}

/** Whether runs with this runtime have terminals. */
export function offersTerminals({ offers, execCommand }: RuntimeParts): boolean {
  return offers?.terminals ?? execCommand !== undefined;
}

export function offersAgents({ offers, spawnAgent }: RuntimeParts): boolean {
  return offers?.agents ?? spawnAgent !== undefined;
}

function missing(what: string): ToolFailure {
  return new ToolFailure('unavailable', `${what} need a workspace runtime, which this run does not have`);
}
