import fs from 'node:fs';
import type { RuntimeParts } from '../../tools/index.ts';
import { Agent } from '../agent.ts';
import type { AgentOptions } from '../options.ts';
import { agentPortOf } from './agent-port.ts';
import { ChildAgents } from './child-agents.ts';
import { openChild } from './open-child.ts';
import type { ChildOrder } from './starter.ts';

/** A child that is about to run. */
export interface ChildRequest {
  runId: string;
  /** Null when it is resumed. */
  task: string | null;
  /** Names of the tools that the parent asked for, or that it was started with before; null: none in particular. */
  tools: readonly string[] | null;
  /** As the parent asked for it; null: none in particular. */
  model: string | null;
}

export interface InProcessAgentsOptions {
  workspaceRoot: string;
  /** Makes the agent of a child: its model, tools and policy. It is called again when the child is resumed. */
  agent(request: ChildRequest): ChildAgent | Promise<ChildAgent>;
  /** Maximum number of children that run at the same time (default: 32). */
  maxAgents?: number | undefined;
  /** Maximum number of levels of children (default: 3). */
  maxDepth?: number | undefined;
}

/** An agent, or its options: then it can have children too. */
export type ChildAgent = Agent<unknown> | AgentOptions<unknown>;

const MAX_AGENTS = 32;
const MAX_DEPTH = 3;

/**
 * Child agents in this process, for programs that pass their own model and tools. Pass it as `runtime` to the agent that
 * may have children. They end with the process; what they did is in their logs, and `resume_agent` continues them.
 */
export function inProcessAgents(options: InProcessAgentsOptions): RuntimeParts {
  let agents: ChildAgents | null = null;
  const agentOf = async ({ runId, how, tools, model }: ChildOrder): Promise<Agent<unknown>> => {
    const made = await options.agent({ runId, task: how.kind === 'start' ? how.task : null, tools, model });
    if (made instanceof Agent) return made;
    return new Agent({ runtime: scope, ...(tools === null ? {} : { toolNames: tools }), ...made });
  };
  const scope: RuntimeParts = {
    offers: { agents: true },
    forRun: (link) => {
      agents ??= new ChildAgents({
        workspaceRoot: fs.realpathSync(options.workspaceRoot),
        starter: { start: async (order, host) => await openChild(await agentOf(order), order, host) },
        maxAgents: options.maxAgents ?? MAX_AGENTS,
        maxDepth: options.maxDepth ?? MAX_DEPTH,
      });
      return agentPortOf(agents, link);
    },
  };
  return scope;
}
