import { edgesBy, type GraphEdge, type GraphNode } from './graph.ts';
import type { GraphPart } from './graph-view.ts';

export interface ListRow {
  /** Identifies the row: a node with several causes has several rows. */
  key: string;
  node: GraphNode;
  depth: number;
  /** How it relates to its parent row; null for a root. */
  tie: GraphEdge['tie'] | null;
  /** Its own row, with everything that it led to, is further up. */
  again: boolean;
}

/** The same edges as an indented list: each node below what led to it. */
export function listRows({ nodes, edges }: GraphPart): ListRow[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const effects = edgesBy(edges, 'from');
  const caused = new Set(edges.map(({ to }) => to));
  const order = (edge: GraphEdge) => byId.get(edge.to)!.order;
  for (const list of effects.values()) list.sort((one, other) => order(one) - order(other));
  const rows: ListRow[] = [];
  const listed = new Set<string>();
  const add = (node: GraphNode, under: { key: string; depth: number; tie: ListRow['tie'] }): void => {
    const key = `${under.key}>${node.id}`;
    const again = listed.has(node.id);
    rows.push({ key, node, depth: under.depth, tie: under.tie, again });
    if (again) return;
    listed.add(node.id);
    for (const { to, tie } of effects.get(node.id) ?? []) add(byId.get(to)!, { key, depth: under.depth + 1, tie });
  };
  for (const node of nodes) if (!caused.has(node.id)) add(node, { key: '', depth: 0, tie: null });
  // A cycle has no beginning; any node in it can be first.
  for (const node of nodes) if (!listed.has(node.id)) add(node, { key: '', depth: 0, tie: null });
  return rows;
}
