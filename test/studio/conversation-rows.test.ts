import { expect, test } from 'vitest';
import { foldConversation } from '../../src/conversation/index.ts';
import type { FcmpMessage, RaspEvent } from '../../src/protocol/index.ts';
import {
  isTurn,
  placeOfSelection,
  rowAtTime,
  rowOfSelection,
  rowsInWindow,
} from '../../studio/model/conversation/conversation-places.ts';
import {
  type ConversationFold,
  emptyConversation,
  growConversation,
  type Row,
} from '../../studio/model/conversation/conversation-rows.ts';
import { growth, PROPORTIONAL } from '../support/growth.ts';
import { eventsOf } from './events.ts';

function folded(messages: readonly FcmpMessage[]): ConversationFold {
  const fold = emptyConversation();
  growConversation(fold, messages);
  return fold;
}

function rowsOf(events: readonly RaspEvent[]): Row[] {
  return folded(foldConversation(events)).rows;
}

const RUN = eventsOf([
  ['lifecycle.run.status', { status: 'running' }],
  ['interaction.reply.accepted', { interaction_id: '0', text: 'fix it', source: 'prompt' }],
  ['agent.message.delta', { message_id: 'm1', text: 'I will ' }],
  ['agent.message.delta', { message_id: 'm1', text: 'look' }],
  ['agent.message.final', { message_id: 'm1', text: 'I will look.' }],
  ['tool.call.started', { call_id: 't1', name: 'run', kind: 'command', arguments: { command: 'ls' } }],
  ['raw.stderr', { text: 'noise\n', lines: 1 }],
  ['tool.call.completed', { call_id: 't1', name: 'run', kind: 'command', result: 'a b' }],
  ['artifact.created', { path: 'a', size: 1, sha256: null }],
  ['artifact.created', { path: 'b', size: 1, sha256: null }],
  ['artifact.deleted', { path: 'c', size: null, sha256: null }],
  ['agent.message.final', { message_id: 'm2', text: 'Which title?' }],
  ['interaction.user_input.required', { interaction_id: '1.1', kind: 'free_text', prompt: 'Which title?' }],
  ['lifecycle.run.status', { status: 'waiting_user' }],
  ['interaction.reply.accepted', { interaction_id: '1.1', text: 'Any' }, 2],
  ['diagnostic.engine.error', { code: 'ENGINE_ERROR', message: 'no', severity: 'error' }, 2],
  ['lifecycle.run.status', { status: 'failed', reason_code: 'ENGINE_ERROR' }, 2],
]);

test('the message of a repair turn is not said by the reader', () => {
  const rows = rowsOf(
    eventsOf([
      ['interaction.reply.accepted', { interaction_id: '0', text: 'count', source: 'prompt' }],
      ['interaction.reply.accepted', { interaction_id: '0', text: 'The result is invalid.', source: 'repair' }, 2],
    ]),
  );
  expect(rows.filter(({ kind }) => kind === 'user')).toMatchObject([
    { text: 'count' },
    { text: 'The result is invalid.', by: 'tacho' },
  ]);
  expect(rows[0]).not.toHaveProperty('by');
});

test('a conversation has rows without raw output and diagnostics', () => {
  const rows = rowsOf(RUN);
  expect(rows.map(({ kind }) => kind)).toEqual([
    'user',
    'assistant',
    'tool',
    'files',
    'assistant',
    'question',
    'attempt',
    'user',
    'end',
  ]);
  expect(rows[1]).toMatchObject({ text: 'I will look.', complete: true, seq: 5 });
  expect(rows[2]).toMatchObject({ state: 'completed', summary: 'ls', startedSeq: 6, endedSeq: 8, duration: 200 });
  expect(rows[3]).toMatchObject({ created: ['a', 'b'], modified: [], deleted: ['c'] });
  expect(rows[5]).toMatchObject({ prompt: null, answered: true });
  expect(rows[8]).toMatchObject({ status: 'failed', message: 'no', attempt: 2 });
});

test('rows are the same folded message by message and all at once', () => {
  const messages = foldConversation(RUN);
  const fold = emptyConversation();
  const grown: FcmpMessage[] = [];
  for (const message of messages) {
    grown.push(message);
    growConversation(fold, grown);
  }
  expect(fold).toEqual(folded(messages));
});

test('a growing row is a new object at the same index, and the others stay the same objects', () => {
  const messages = foldConversation(RUN);
  const fold = folded(messages.slice(0, 3));
  const before = [...fold.rows];
  growConversation(fold, messages.slice(0, 4));
  expect(fold.rows[0]).toBe(before[0]);
  expect(fold.rows[1]).not.toBe(before[1]);
  expect(fold.rows[1]).toMatchObject({ id: before[1]!.id, text: 'I will look', complete: false });
});

test('a tool call without an end is not shown as running forever', () => {
  const rows = rowsOf(
    eventsOf([
      ['lifecycle.run.status', { status: 'running' }],
      ['tool.call.started', { call_id: 't1', name: 'run', arguments: {} }],
      ['lifecycle.run.status', { status: 'canceled', reason_code: 'canceled' }],
    ]),
  );
  expect(rows).toMatchObject([
    { kind: 'tool', state: 'unfinished' },
    { kind: 'end', status: 'canceled' },
  ]);
});

test('an approval is one row from the request to the decision', () => {
  const rows = rowsOf(
    eventsOf([
      ['interaction.approval.requested', { approval_id: 'a1', summary: 'delete x', command: ['rm', 'x'] }],
      ['interaction.approval.decided', { approval_id: 'a1', decision: 'denied', reason: 'keep it' }],
    ]),
  );
  expect(rows).toMatchObject([
    { kind: 'approval', summary: 'delete x', decision: 'denied', reason: 'keep it', seq: 1 },
  ]);
});

test('weak evidence and hidden echoes are marks on a row', () => {
  const events = eventsOf([
    ['agent.message.final', { message_id: 'm1', text: 'one\ntwo\nthree' }],
    ['raw.stdout', { text: 'one\ntwo\nthree\n', lines: 3 }],
    ['lifecycle.completion.state', completion()],
  ]).map((event) => ({ ...event, source: { ...event.source, confidence: 0.4 } }));
  expect(rowsOf(events)).toMatchObject([{ kind: 'assistant', confidence: 0.4, hidden: { lines: 3, seq: 2 } }]);
});

test('every event has a position in the conversation', () => {
  const fold = folded(foldConversation(RUN));
  const kindAt = (index: number) => fold.rows[index]?.kind;
  expect(kindAt(rowOfSelection(fold, { kind: 'event', seq: 3 }))).toBe('assistant');
  expect(kindAt(rowOfSelection(fold, { kind: 'event', seq: 8 }))).toBe('tool');
  expect(kindAt(rowOfSelection(fold, { kind: 'file', path: 'c' }))).toBe('files');
  expect(rowOfSelection(fold, { kind: 'event', seq: 7 })).toBe(-1);
  expect(kindAt(placeOfSelection(fold, { kind: 'event', seq: 7 }))).toBe('tool');
  expect(placeOfSelection(fold, { kind: 'event', seq: 1 })).toBe(0);
});

test('a time window keeps the rows that overlap it', () => {
  const { rows } = folded(foldConversation(RUN));
  const start = Date.parse(RUN[0]!.ts);
  const shown = rowsInWindow(rows, { from: 650, to: 900 }, start);
  expect(shown.map((index) => rows[index]!.kind)).toEqual(['tool', 'files']);
  expect(rows[rowAtTime(rows, start + 650)]!.kind).toBe('tool');
  expect(rowAtTime(rows, start)).toBe(-1);
  expect(rows.filter(isTurn)).toHaveLength(5);
});

test('messages are folded in linear time', () => {
  const one = foldConversation(RUN);
  const fold = (messages: number) =>
    void folded(Array.from({ length: messages }, (_, index) => ({ ...one[index % one.length]!, seq: index + 1 })));
  expect(growth(2000, fold)).toBeLessThan(PROPORTIONAL);
});

function completion() {
  return {
    state: 'completed',
    reason_code: 'DONE_MARKER',
    source: 'marker',
    confidence: 1,
    needs_user_input: false,
    diagnostics: [],
  };
}

test('the done marker is left out of agent messages', () => {
  const texts = (events: Parameters<typeof eventsOf>[0]) =>
    rowsOf(eventsOf(events)).flatMap((row) => (row.kind === 'assistant' ? [row.text] : []));
  const alone = { message_id: 'm2', text: '{"__SKILL_DONE__": true}' };
  expect(
    texts([
      ['agent.message.delta', { message_id: 'm1', text: 'Done. {"__SKILL' }],
      ['agent.message.delta', alone],
    ]),
  ).toEqual(['Done. ']);
  expect(
    texts([
      ['agent.message.final', { message_id: 'm1', text: 'Done. {"__SKILL_DONE__": true, "n": 1}' }],
      ['agent.message.final', alone],
    ]),
  ).toEqual(['Done. {"n": 1}']);
});
