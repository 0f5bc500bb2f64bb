import { expect, test } from 'vitest';
import type { RaspEvent } from '../../src/protocol/index.ts';
import { foldEvents, type RunModel } from '../../src/record/index.ts';
import { foldGraph, MAX_NODES } from '../../studio/model/graph/graph-fold.ts';
import { layoutGraph, NODE_HEIGHT } from '../../studio/model/graph/graph-layout.ts';
import { listRows } from '../../studio/model/graph/graph-list.ts';
import {
  type GraphPart,
  graphAround,
  graphOf,
  nodeOfSelection,
  wholeGraph,
} from '../../studio/model/graph/graph-view.ts';
import { growth, PROPORTIONAL } from '../support/growth.ts';
import { eventsOf } from './events.ts';

const call = (call_id: string, name = 'run') => ({ call_id, name });
const file = { path: 'a/b.txt', size: 1, sha256: null };
const completion = {
  state: 'completed',
  reason_code: 'X',
  source: 'engine',
  confidence: 1,
  needs_user_input: false,
  diagnostics: [],
};

function twoAttempts(change: (events: RaspEvent[]) => void = () => {}): RunModel {
  const events = eventsOf([
    ['lifecycle.run.status', { status: 'queued' }],
    ['interaction.reply.accepted', { interaction_id: '1.prompt', text: 'do it', source: 'prompt' }],
    ['agent.message.delta', { message_id: 'm1', text: 'I ' }],
    ['agent.message.final', { message_id: 'm1', text: 'I will' }],
    ['tool.call.started', call('t1')],
    ['tool.call.completed', call('t1')],
    ['artifact.created', file],
    ['lifecycle.completion.state', completion],
    ['interaction.user_input.required', { interaction_id: '1.1', kind: 'free_text', prompt: 'Which?' }],
    ['interaction.reply.accepted', { interaction_id: '1.1', text: 'This', source: 'reply' }, 2],
    ['tool.call.started', call('t2'), 2],
    ['tool.call.failed', call('t2'), 2],
  ]);
  for (const event of events) {
    const data = event.data as { call_id?: string; message_id?: string };
    if (data.call_id) event.correlation.call_id = data.call_id;
    if (data.message_id) event.correlation.message_id = data.message_id;
  }
  change(events);
  return foldEvents(events);
}

const edgeTexts = ({ edges }: GraphPart) =>
  edges.map(({ from, to, tie }) => `${from} → ${to}${tie === 'id' ? '' : ' ·'}`);
const ids = ({ nodes }: GraphPart) => nodes.map(({ id }) => id);

test('a run is connected by its ids, or by its attempts if there are none', () => {
  const part = wholeGraph(graphOf(twoAttempts()));
  expect(edgeTexts(part)).toEqual([
    'reply:1.prompt → attempt:1 ·',
    'attempt:1 → message:m1 ·',
    'attempt:1 → call:t1 ·',
    'call:t1 → result:t1',
    'attempt:1 → file:1:a/b.txt ·',
    'attempt:1 → question:1.1 ·',
    'attempt:1 → attempt:2 ·',
    'question:1.1 → reply:1.1',
    'reply:1.1 → attempt:2 ·',
    'attempt:2 → call:t2 ·',
    'call:t2 → result:t2',
  ]);
  expect(ids(part).slice(0, 3)).toEqual(['reply:1.prompt', 'attempt:1', 'message:m1']);
  expect(part.nodes.find(({ id }) => id === 'message:m1')).toMatchObject({ seq: 4, label: 'I will' });
  expect(part.nodes.find(({ id }) => id === 'result:t2')!.failed).toBe(true);
});

test('a selection is shown with its causes and effects only', () => {
  const model = twoAttempts();
  const around = graphAround(graphOf(model), nodeOfSelection(model, { kind: 'event', seq: 11 })!);
  expect(ids(around)).toEqual([
    'reply:1.prompt',
    'attempt:1',
    'question:1.1',
    'reply:1.1',
    'attempt:2',
    'call:t2',
    'result:t2',
  ]);
  expect(nodeOfSelection(model, { kind: 'file', path: 'a/b.txt' })).toBe('file:1:a/b.txt');
  expect(nodeOfSelection(model, { kind: 'event', seq: 3 })).toBe('message:m1');
  expect(nodeOfSelection(model, { kind: 'event', seq: 99 })).toBeNull();
});

test('a selected event without ids is connected to its attempt', () => {
  const model = twoAttempts();
  const around = graphAround(graphOf(model), nodeOfSelection(model, { kind: 'event', seq: 8 })!);
  expect(ids(around)).toEqual(['reply:1.prompt', 'attempt:1', 'event:8']);
  expect(ids(wholeGraph(graphOf(model)))).not.toContain('event:8');
  expect(nodeOfSelection(model, { kind: 'event', seq: 1 })).toBe('attempt:1');
});

test('the closest connection wins: a message, the call around it, a parent, the call that wrote a file', () => {
  const model = twoAttempts((events) => {
    events[4]!.correlation.message_id = 'm1';
    events[6]!.correlation.call_id = 't1';
    events[10]!.correlation.parent = 't1';
    events[8]!.correlation.parent_seq = 4;
  });
  const edges = edgeTexts(wholeGraph(graphOf(model)));
  expect(edges).toContain('message:m1 → call:t1');
  expect(edges).toContain('call:t1 → file:1:a/b.txt');
  expect(edges).toContain('call:t1 → call:t2');
  expect(edges).toContain('message:m1 → question:1.1');
  expect(edges).not.toContain('attempt:1 → call:t1 ·');
});

test('a connection to a missing event ends in a hollow node', () => {
  const events = eventsOf([
    ['tool.call.completed', call('lost')],
    ['tool.call.started', call('open')],
    ['interaction.approval.requested', { approval_id: 'p', summary: 'May I?' }],
    ['lifecycle.completion.state', completion],
    ['interaction.reply.accepted', { interaction_id: '9.9', text: 'yes', source: 'reply' }],
  ]);
  const { nodes } = wholeGraph(graphOf(foldEvents(events)));
  const hollow = nodes.filter(({ seq }) => seq === null).map(({ id }) => id);
  expect(hollow.sort()).toEqual(['call:lost', 'decision:p', 'question:9.9', 'result:open']);
});

test('a hollow node is filled when its event arrives later', () => {
  const events = eventsOf([
    ['interaction.approval.requested', { approval_id: 'p', summary: 'May I?' }],
    ['lifecycle.completion.state', completion],
    ['interaction.approval.decided', { approval_id: 'p', decision: 'approved' }, 2],
  ]);
  const model = foldEvents(events.slice(0, 2));
  expect(graphOf(model).nodes.get('decision:p')!.seq).toBeNull();
  model.events.push(events[2]!);
  expect(graphOf(model).nodes.get('decision:p')).toMatchObject({ seq: 3, label: 'approved · p' });
});

test('events without any id are counted', () => {
  expect(graphOf(twoAttempts()).untied).toBe(2);
});

test('above two hundred nodes repeated tools are folded, except the selected one', () => {
  const many = Array.from({ length: 150 }, (_, at) => [
    ['tool.call.started', call(`t${at}`, at % 10 === 0 ? 'write' : 'run')] as const,
    ['tool.call.completed', call(`t${at}`, at % 10 === 0 ? 'write' : 'run')] as const,
  ]).flat();
  const whole = wholeGraph(graphOf(foldEvents(eventsOf(many as never))));
  expect(whole.nodes.length).toBeGreaterThan(MAX_NODES);
  const folded = foldGraph(whole, 'call:t7');
  expect(folded.nodes.map(({ id, count }) => [id, count])).toEqual([
    ['attempt:1', 1],
    ['call:t0', 15],
    ['result:t0', 15],
    ['call:t1', 134],
    ['result:t1', 134],
    ['call:t7', 1],
    ['result:t7', 1],
  ]);
  expect(edgeTexts(folded)).toContain('call:t1 → result:t1');
  const small = wholeGraph(graphOf(twoAttempts()));
  expect(foldGraph(small)).toEqual(small);
});

test('time runs downwards and lanes do not overlap', () => {
  const part = wholeGraph(graphOf(twoAttempts()));
  const layout = layoutGraph(part);
  expect(layout.lanes.map(({ lane }) => lane)).toEqual(['user', 'agent', 'tools', 'files']);
  for (const [at, placed] of layout.nodes.entries()) {
    const before = layout.nodes[at - 1];
    if (before) expect(placed.y).toBeGreaterThanOrEqual(before.y + NODE_HEIGHT);
    const { x: laneFrom } = layout.lanes.find(({ lane }) => lane === placed.node.lane)!;
    expect(placed.x).toBeGreaterThanOrEqual(laneFrom);
    expect(placed.x + placed.width).toBeLessThanOrEqual(laneFrom + layout.width / layout.lanes.length);
  }
  expect(layout.edges).toHaveLength(part.edges.length);
  for (const { path } of layout.edges) expect(path).toMatch(/^M[\d.]+ [\d.]+V[\d.]+(H[\d.]+)?$/);
  expect(layoutGraph(part)).toEqual(layout);
});

test('a part without tools or files has no lanes for them', () => {
  const model = twoAttempts();
  const around = graphAround(graphOf(model), 'question:1.1');
  expect(layoutGraph({ nodes: around.nodes.slice(0, 3), edges: [] }).lanes).toHaveLength(2);
});

test('the list has every edge once, and each node in full once', () => {
  const part = wholeGraph(graphOf(twoAttempts()));
  const rows = listRows(part);
  expect(rows.map(({ node, depth, again }) => `${'  '.repeat(depth)}${node.id}${again ? ' again' : ''}`)).toEqual([
    'reply:1.prompt',
    '  attempt:1',
    '    message:m1',
    '    call:t1',
    '      result:t1',
    '    file:1:a/b.txt',
    '    question:1.1',
    '      reply:1.1',
    '        attempt:2',
    '          call:t2',
    '            result:t2',
    '    attempt:2 again',
  ]);
  expect(rows.filter(({ tie }) => tie !== null)).toHaveLength(part.edges.length);
  expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
});

test('a graph takes linear time, and is folded to what can be drawn', () => {
  const draw = (calls: number) => {
    const many = Array.from({ length: calls }, (_, at) => [
      ['tool.call.started', call(`t${at}`, `tool ${at % 7}`)] as const,
      ['tool.call.completed', call(`t${at}`, `tool ${at % 7}`)] as const,
    ]).flat();
    const folded = foldGraph(wholeGraph(graphOf(foldEvents(eventsOf(many as never)))));
    layoutGraph(folded);
    expect(folded.nodes.length).toBeLessThan(MAX_NODES);
  };
  expect(growth(600, draw)).toBeLessThan(PROPORTIONAL);
});
