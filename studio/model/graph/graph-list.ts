import { edgesBy, type GraphEdge, type GraphNode } from './graph.ts';
import type { GraphPart } from './graph-view.ts';

export interface ListRow {
  /** Names the row: a thing that has several causes has several rows. */
  key: string;
  node: GraphNode;
  depth: number;
  /** How it is tied to the row it stands under; null for what came from nothing. */
  tie: GraphEdge['tie'] | null;
  /** It has a row of its own further up, with all that it led to. */
  again: boolean;
}

/** The same edges as an indented list: each thing stands below what led to it. */
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
  // A circle has no beginning; whatever came first in it is as good as any.
  for (const node of nodes) if (!listed.has(node.id)) add(node, { key: '', depth: 0, tie: null });
  return rows;
}
