import { edgesBy, type GraphEdge, type GraphNode } from './graph.ts';
import type { GraphPart } from './graph-view.ts';

/** More nodes on one screen are not readable. */
export const MAX_NODES = 200;

/** The order of folding: tools, then files, then what the agent said. */
const FOLDED = [['call', 'result'], ['file'], ['message', 'reasoning'], ['event']] as const;

/** Folds repeated nodes into one each, as far as needed; `kept` stays visible. */
export function foldGraph(part: GraphPart, kept: string | null = null): GraphPart {
  let folded = part;
  for (const kinds of FOLDED) {
    if (folded.nodes.length <= MAX_NODES) break;
    folded = foldKinds(folded, new Set<string>(kinds), kept);
  }
  return folded;
}

function foldKinds({ nodes, edges }: GraphPart, kinds: ReadonlySet<string>, kept: string | null): GraphPart {
  const causes = edgesBy(edges, 'to');
  const standIn = new Map<string, string>();
  const first = new Map<string, GraphNode>();
  const shown = new Map<string, GraphNode>();
  // Causes come first, so their folded nodes are already known.
  for (const node of nodes) {
    const from = (causes.get(node.id) ?? []).map(({ from: cause }) => standIn.get(cause) ?? cause).sort();
    const key = JSON.stringify([node.kind, node.group, node.failed, node.seq === null, from]);
    const same = kinds.has(node.kind) && node.id !== kept ? first.get(key) : undefined;
    if (same === undefined) {
      const own = { ...node };
      shown.set(node.id, own);
      if (kinds.has(node.kind) && node.id !== kept) first.set(key, own);
    } else {
      same.count += node.count;
      standIn.set(node.id, same.id);
    }
  }
  return { nodes: [...shown.values()], edges: mergeEdges(edges, standIn) };
}

function mergeEdges(edges: readonly GraphEdge[], standIn: ReadonlyMap<string, string>): GraphEdge[] {
  const merged = new Map<string, GraphEdge>();
  for (const edge of edges) {
    const [from, to] = [standIn.get(edge.from) ?? edge.from, standIn.get(edge.to) ?? edge.to];
    if (from !== to) merged.set(`${from}\n${to}`, { from, to, tie: edge.tie });
  }
  return [...merged.values()];
}
