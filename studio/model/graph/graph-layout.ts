import { edgesBy, type GraphEdge, type GraphNode } from './graph.ts';
import type { Lane } from './graph-thing.ts';
import type { GraphPart } from './graph-view.ts';

export interface PlacedNode {
  node: GraphNode;
  x: number;
  y: number;
  width: number;
}

export interface PlacedEdge {
  edge: GraphEdge;
  /** An SVG path. */
  path: string;
}

export interface GraphLayout {
  lanes: { lane: Lane; x: number }[];
  nodes: PlacedNode[];
  edges: PlacedEdge[];
  width: number;
  height: number;
}

const LANES: readonly Lane[] = ['user', 'agent', 'tools', 'files'];
export const NODE_HEIGHT = 24;
const ROW = 32;
/** Minimum and maximum width of a lane; in between it takes its share of the room. */
const [MIN_LANE, MAX_LANE] = [136, 280];
const MARGIN = 8;
const HEAD = 28;
const INDENT = 14;
const MAX_INDENTS = 3;
/** Where an edge leaves its source: at the bottom, near the left end. */
const FOOT = 7;

/** Puts nodes into lanes, in order of time. The same input always gives the same picture. */
export function layoutGraph({ nodes, edges }: GraphPart, room = 0): GraphLayout {
  const used = LANES.filter((lane) => nodes.some((node) => node.lane === lane));
  const laneWidth = Math.max(MIN_LANE, Math.min(MAX_LANE, Math.floor(room / used.length)));
  const laneX = new Map(used.map((lane, at) => [lane, at * laneWidth]));
  const indents = indentsOf({ nodes, edges });
  const placed = new Map<string, PlacedNode>();
  for (const [row, node] of nodes.entries()) {
    const indent = INDENT * indents.get(node.id)!;
    const x = laneX.get(node.lane)! + MARGIN + indent;
    placed.set(node.id, { node, x, y: HEAD + row * ROW, width: laneWidth - 2 * MARGIN - indent });
  }
  return {
    lanes: used.map((lane) => ({ lane, x: laneX.get(lane)! })),
    nodes: [...placed.values()],
    edges: edges.map((edge) => ({ edge, path: pathOf(placed.get(edge.from)!, placed.get(edge.to)!) })),
    width: used.length * laneWidth,
    height: HEAD + nodes.length * ROW,
  };
}

/** A node with a cause in its own lane is indented a little, so that the edge has a way down. */
function indentsOf({ nodes, edges }: GraphPart): Map<string, number> {
  const laneOf = new Map(nodes.map(({ id, lane }) => [id, lane]));
  const causes = edgesBy(
    edges.filter(({ from, to }) => laneOf.get(from) === laneOf.get(to)),
    'to',
  );
  const indents = new Map<string, number>();
  for (const { id, kind } of nodes) {
    const above = (causes.get(id) ?? []).map(({ from }) => (indents.get(from) ?? 0) + 1);
    // Attempts follow each other; they are not nested.
    indents.set(id, kind === 'attempt' ? 0 : Math.min(MAX_INDENTS, Math.max(0, ...above)));
  }
  return indents;
}

/** Down from the bottom of one node, then across to the other. */
function pathOf(from: PlacedNode, to: PlacedNode): string {
  const x = from.x + FOOT;
  const startY = to.y >= from.y ? from.y + NODE_HEIGHT : from.y;
  const middle = to.y + NODE_HEIGHT / 2;
  // Directly below: straight to its top.
  if (to.x <= x && x <= to.x + to.width) return `M${x} ${startY}V${to.y >= from.y ? to.y : to.y + NODE_HEIGHT}`;
  return `M${x} ${startY}V${middle}H${to.x > x ? to.x : to.x + to.width}`;
}
