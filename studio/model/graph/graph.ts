import type { RaspEvent } from '../../../src/protocol/index.ts';
import { summarizeEvent } from '../events/event-summary.ts';
import { idOf, type Lane, type NodeKind, type Thing, thingOf } from './graph-thing.ts';

/** One thing of a run: all events with its id. */
export interface GraphNode {
  id: string;
  kind: NodeKind;
  lane: Lane;
  attempt: number;
  /** The event to go to; null if other events refer to it but it was not recorded. */
  seq: number | null;
  /** Its position in time. */
  order: number;
  label: string;
  /** Nodes of the same kind and group are repetitions: the name of a tool, the folder of a file. */
  group: string;
  failed: boolean;
  /** How many nodes it represents after folding. */
  count: number;
}

export interface GraphEdge {
  from: string;
  to: string;
  /** `id`: known from an id. `attempt`: it happened in that attempt, and nothing more is known. */
  tie: 'id' | 'attempt';
}

/** What led to what, according to the ids in the events. It only grows. */
export interface Graph {
  readonly nodes: Map<string, GraphNode>;
  readonly edges: Map<string, GraphEdge>;
  /** The node of each event, by seq; unrelated events have none. */
  readonly ofSeq: Map<number, string>;
  /** Events without any id. */
  untied: number;
  /** Number of events in it. */
  length: number;
}

export function emptyGraph(): Graph {
  return { nodes: new Map(), edges: new Map(), ofSeq: new Map(), untied: 0, length: 0 };
}

export function addToGraph(graph: Graph, event: RaspEvent): void {
  graph.length++;
  startAttempt(graph, event);
  const thing = thingOf(event);
  if (thing !== null) addThing(graph, event, thing);
  else if (closestCause(graph, event) !== null) addEventNode(graph, event);
  else if (Object.keys(event.correlation).length === 0) graph.untied++;
  if (event.event.type === 'lifecycle.completion.state') endAttempt(graph, event);
}

/** Adds an unrelated event as a separate node. */
export function addEventNode(graph: Graph, event: RaspEvent): void {
  addThing(graph, event, { kind: 'event', name: String(event.seq), lane: 'agent' });
}

/** Edges by one of their ends. */
export function edgesBy(edges: Iterable<GraphEdge>, end: 'from' | 'to'): Map<string, GraphEdge[]> {
  const found = new Map<string, GraphEdge[]>();
  for (const edge of edges) {
    const others = found.get(edge[end]);
    if (others) others.push(edge);
    else found.set(edge[end], [edge]);
  }
  return found;
}

function addThing(graph: Graph, event: RaspEvent, thing: Thing): void {
  const id = addNode(graph, event, thing);
  const { kind, name, lane, group } = thing;
  switch (kind) {
    case 'reply':
      tie(graph, seen(graph, event, { kind: 'question', name, lane: 'agent' }), id, 'id');
      beginAttempt(graph, event, id);
      break;
    case 'request':
      beginAttempt(graph, event, id);
      break;
    case 'result':
      tie(graph, seen(graph, event, { kind: 'call', name, lane, group }), id, 'id');
      break;
    case 'decision':
      tie(graph, seen(graph, event, { kind: 'approval', name, lane }), id, 'id');
      break;
    default:
      tieToCause(graph, event, id);
  }
}

/** The node of an event. Several events of one thing are one node, which shows the last of them. */
function addNode(graph: Graph, event: RaspEvent, thing: Thing): string {
  const id = idOf(thing);
  const known = graph.nodes.get(id);
  graph.ofSeq.set(event.seq, id);
  // Engines use one id for reasoning and message; the message is the better label.
  if (known?.kind === 'message' && known.seq !== null && thing.kind === 'reasoning') return id;
  const { kind, lane, group = '', failed = false } = thing;
  const order = known === undefined || known.seq === null ? event.seq : known.order;
  const facts = { attempt: event.attempt_number, seq: event.seq, order, label: summarizeEvent(event), count: 1 };
  graph.nodes.set(id, { id, kind, lane, group, failed, ...facts });
  return id;
}

/** The node for a thing that an event refers to; an empty one if it was not recorded. */
function seen(graph: Graph, event: RaspEvent, thing: Thing, order = event.seq - 0.5): string {
  const id = idOf(thing);
  if (graph.nodes.has(id)) return id;
  const { kind, name, lane, group = '' } = thing;
  const facts = { attempt: event.attempt_number, seq: null, order, label: name, failed: false, count: 1 };
  graph.nodes.set(id, { id, kind, lane, group, ...facts });
  return id;
}

function tie(graph: Graph, from: string, to: string, how: GraphEdge['tie']): void {
  const key = `${from}\n${to}`;
  if (from !== to && graph.edges.get(key)?.tie !== 'id') graph.edges.set(key, { from, to, tie: how });
}

/** Connects a node to the cause that its event names, or else to its attempt. */
function tieToCause(graph: Graph, event: RaspEvent, id: string): void {
  const cause = closestCause(graph, event);
  if (cause !== null && cause !== id) tie(graph, cause, id, 'id');
  else tie(graph, `attempt:${event.attempt_number}`, id, 'attempt');
}

/** The cause named by the ids of an event. */
function closestCause(graph: Graph, event: RaspEvent): string | null {
  const { parent, parent_seq, call_id, message_id, interaction_id } = event.correlation;
  const { type } = event.event;
  if (parent_seq !== undefined) {
    const known = graph.ofSeq.get(parent_seq);
    return known ?? seen(graph, event, { kind: 'event', name: String(parent_seq), lane: 'agent' });
  }
  if (call_id !== undefined && type !== 'tool.call.started') {
    return seen(graph, event, { kind: 'call', name: call_id, lane: 'tools' });
  }
  if (message_id !== undefined && !type.startsWith('agent.message.')) {
    return seen(graph, event, { kind: 'message', name: message_id, lane: 'agent' });
  }
  if (parent !== undefined) return seen(graph, event, { kind: 'call', name: parent, lane: 'tools' });
  if (interaction_id === undefined || type.startsWith('interaction.')) return null;
  return seen(graph, event, { kind: 'reply', name: interaction_id, lane: 'user' });
}

function startAttempt(graph: Graph, { attempt_number, seq }: RaspEvent): void {
  const id = `attempt:${attempt_number}`;
  if (graph.nodes.has(id)) return;
  const facts = { attempt: attempt_number, seq, order: seq - 0.4, label: '', group: '', failed: false, count: 1 };
  graph.nodes.set(id, { id, kind: 'attempt', lane: 'agent', ...facts });
  // Unless it belongs to something else, the first event of an attempt belongs to the attempt.
  graph.ofSeq.set(seq, id);
  if (graph.nodes.has(`attempt:${attempt_number - 1}`)) tie(graph, `attempt:${attempt_number - 1}`, id, 'attempt');
}

/** A message starts an attempt, although the attempt's own event comes a moment earlier. */
function beginAttempt(graph: Graph, event: RaspEvent, said: string): void {
  const attempt = graph.nodes.get(`attempt:${event.attempt_number}`)!;
  attempt.order = Math.max(attempt.order, event.seq + 0.1);
  tie(graph, said, attempt.id, 'attempt');
}

/** Everything that began in the attempt and has not ended has no recorded end. */
function endAttempt(graph: Graph, event: RaspEvent): void {
  for (const node of [...graph.nodes.values()]) {
    if (node.attempt !== event.attempt_number || (node.kind !== 'call' && node.kind !== 'approval')) continue;
    const { lane, group, id, order } = node;
    const kind = node.kind === 'call' ? 'result' : 'decision';
    const end = { kind, name: id.slice(id.indexOf(':') + 1), lane, group } as const;
    tie(graph, id, seen(graph, event, end, order + 0.5), 'id');
  }
}
