import { type AgentChild, type AgentUse, TachoError } from '../../protocol/index.ts';
import type { AgentLogs } from './agent-logs.ts';
import type { FactsFold } from './fold-facts.ts';
import type { RunOrigins } from './run-origins.ts';
import { shortText } from './short-text.ts';

const MAX_DEPTH = 8;
const MAX_AGENTS = 500;
const MAX_TASK = 300;

/** Where to read runs and what they came from. */
export interface AgentReading {
  logs: AgentLogs;
  origins: RunOrigins;
}

/** The agents that work for a run, each below the one that started it. */
export async function childTree(workspaceRoot: string, runId: string, reading: AgentReading): Promise<AgentChild[]> {
  const left = { agents: MAX_AGENTS };
  const below = async (parent: string, depth: number): Promise<AgentChild[]> => {
    const children: AgentChild[] = [];
    for (const { run_id, call_id } of await reading.origins.childrenOf(workspaceRoot, parent)) {
      if (left.agents-- <= 0) break;
      const node = await nodeOf(workspaceRoot, run_id, reading);
      if (!node) continue;
      children.push({ ...node, call_id, children: depth < MAX_DEPTH ? await below(run_id, depth + 1) : [] });
    }
    return children.sort((one, other) => ((one.started_at ?? '') < (other.started_at ?? '') ? -1 : 1));
  };
  return await below(runId, 1);
}

/** Whether a run works for another one, directly or not. */
export async function isDescendant(
  workspaceRoot: string,
  { runId, of }: { runId: string; of: string },
  { origins }: AgentReading,
): Promise<boolean> {
  let at = runId;
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    if (at === of) return true;
    const origin = await origins.of(workspaceRoot, at);
    if (!origin?.parent || origin.forked_from) return false;
    at = origin.parent.run_id;
  }
  return false;
}

/** What a run has used itself, and what its children have. */
export function usedIn({ state }: FactsFold): Record<'own' | 'children' | 'tree', AgentUse> {
  const own = { steps: state.step, tokens: state.usage.total_tokens ?? 0, cost_usd: state.costUsd };
  const children: AgentUse = { steps: 0, tokens: 0, cost_usd: null };
  for (const { steps, usage, cost_usd } of state.children.values()) {
    children.steps += steps;
    children.tokens += usage.total_tokens ?? 0;
    children.cost_usd = sumOf(children.cost_usd, cost_usd);
  }
  return {
    own,
    children,
    tree: {
      steps: own.steps + children.steps,
      tokens: own.tokens + children.tokens,
      cost_usd: sumOf(own.cost_usd, children.cost_usd),
    },
  };
}

function sumOf(one: number | null, other: number | null): number | null {
  return one === null ? other : one + (other ?? 0);
}

type Node = Omit<AgentChild, 'call_id' | 'children'>;

/** Null if it was removed meanwhile. */
async function nodeOf(workspaceRoot: string, runId: string, { logs }: AgentReading): Promise<Node | null> {
  try {
    const log = await logs.get(workspaceRoot, runId);
    const { task, state, startedAt, updatedAt } = log.facts;
    return {
      run_id: runId,
      task: shortText(task, MAX_TASK),
      status: log.status,
      steps: state.step,
      use: usedIn(log.facts).tree,
      started_at: startedAt,
      updated_at: updatedAt,
    };
  } catch (error) {
    if (error instanceof TachoError) return null;
    throw error;
  }
}
