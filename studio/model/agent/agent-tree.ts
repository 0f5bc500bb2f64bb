import type { AgentChild } from '../../../src/protocol/index.ts';

export interface TreeRow {
  child: AgentChild;
  depth: number;
}

/** The child agents of a run as rows, each below the one that started it. */
export function treeRows(children: readonly AgentChild[], depth = 0): TreeRow[] {
  return children.flatMap((child) => [{ child, depth }, ...treeRows(child.children, depth + 1)]);
}

/** The ids from a direct child to the wanted one, both included; empty if it is not among them. */
export function wayTo(children: readonly AgentChild[], runId: string): string[] {
  for (const child of children) {
    if (child.run_id === runId) return [runId];
    const below = wayTo(child.children, runId);
    if (below.length > 0) return [child.run_id, ...below];
  }
  return [];
}
