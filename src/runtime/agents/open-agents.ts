import { ChildAgents } from '../../agent/children/child-agents.ts';
import type { DaemonAgents } from './agent-calls.ts';
import { type ProcessStarterOptions, processStarter } from './child-process.ts';

export { callAgents } from './agent-calls.ts';

export interface OpenAgentsOptions extends ProcessStarterOptions {
  maxAgents: number;
  maxDepth: number;
}

/** The child agents of a workspace, each as a process of its own. */
export function openAgents({ maxAgents, maxDepth, ...options }: OpenAgentsOptions): DaemonAgents {
  return new ChildAgents({ workspaceRoot: options.workspace, starter: processStarter(options), maxAgents, maxDepth });
}
