import { isEvent } from '../../../src/protocol/index.ts';
import { eventAt, type RunModel } from '../../../src/record/index.ts';
import type { Selection } from '../selection.ts';
import { addEventNode, addToGraph, edgesBy, emptyGraph, type Graph, type GraphEdge, type GraphNode } from './graph.ts';

/** The visible part of a graph: nodes in order of time. */
export interface GraphPart {
  nodes: GraphNode[];
  edges: GraphEdge[];
}

const graphs = new WeakMap<RunModel, Graph>();

/** The graph of a run; new events are added to it. */
export function graphOf(model: RunModel): Graph {
  const graph = graphs.get(model) ?? emptyGraph();
  graphs.set(model, graph);
  while (graph.length < model.events.length) addToGraph(graph, model.events[graph.length]!);
  return graph;
}

/** The node of the selection; an unrelated event becomes one. Null if nothing is selected, or it is unknown. */
export function nodeOfSelection(model: RunModel, selection: Selection | null): string | null {
  const graph = graphOf(model);
  switch (selection?.kind) {
    case 'event': {
      const event = eventAt(model, selection.seq);
      if (event === undefined) return null;
      if (!graph.ofSeq.has(event.seq)) addEventNode(graph, event);
      return graph.ofSeq.get(event.seq)!;
    }
    case 'approval':
      return graph.nodes.has(`approval:${selection.id}`) ? `approval:${selection.id}` : null;
    case 'file': {
      const touched = model.events.findLast(
        (event) =>
          (isEvent(event, 'artifact.created') ||
            isEvent(event, 'artifact.modified') ||
            isEvent(event, 'artifact.deleted')) &&
          event.data.path === selection.path,
      );
      return touched ? graph.ofSeq.get(touched.seq)! : null;
    }
    default:
      return null;
  }
}

/** The node itself, everything that led to it, and everything that it led to. */
export function graphAround(graph: Graph, center: string): GraphPart {
  const edges = [...graph.edges.values()];
  const causes = reached(center, edgesBy(edges, 'to'), 'from');
  const effects = reached(center, edgesBy(edges, 'from'), 'to');
  const shown = new Set([...causes, ...effects]);
  return part(graph, (id) => shown.has(id));
}

/** The whole graph, except for unrelated events that were only added because they were selected. */
export function wholeGraph(graph: Graph): GraphPart {
  const tied = new Set(
    [...graph.edges.values()].filter(({ tie }) => tie === 'id').flatMap(({ from, to }) => [from, to]),
  );
  return part(graph, (id) => graph.nodes.get(id)!.kind !== 'event' || tied.has(id));
}

function reached(start: string, edges: ReadonlyMap<string, readonly GraphEdge[]>, end: 'from' | 'to'): Set<string> {
  const found = new Set([start]);
  for (const id of found) for (const edge of edges.get(id) ?? []) found.add(edge[end]);
  return found;
}

function part({ nodes, edges }: Graph, shows: (id: string) => boolean): GraphPart {
  return {
    nodes: [...nodes.values()].filter(({ id }) => shows(id)).sort((one, other) => one.order - other.order),
    edges: [...edges.values()].filter(({ from, to }) => shows(from) && shows(to)),
  };
}
