import { expect, test } from 'vitest';
import { addEvent } from '../../src/record/index.ts';
import { eventRowsMaker, rowOf } from '../../studio/model/events/event-rows.ts';
import { event, runOf } from './evidence-events.ts';

const started = (call_id: string, at: number) =>
  event({ type: 'tool.call.started', data: { call_id, name: 'run' }, at });
const completed = (call_id: string, at: number) =>
  event({ type: 'tool.call.completed', data: { call_id, name: 'run' }, at });
const said = (text: string, at: number) => event({ type: 'agent.message.final', data: { message_id: text, text }, at });

const model = runOf(started('a', 0), said('hello', 10), completed('a', 20), completed('b', 30), started('c', 40));
const all = { matches: () => true, window: null, grouped: false };

test('every event has a row, and none is hidden', () => {
  expect(eventRowsMaker(all)(model)).toEqual({
    rows: [1, 2, 3, 4, 5].map((seq) => ({ seq, endSeq: null })),
    hidden: 0,
  });
});

test('grouped, a call has one row from start to end', () => {
  const { rows, hidden } = eventRowsMaker({ ...all, grouped: true })(model);
  expect(rows).toEqual([
    { seq: 1, endSeq: 3 },
    { seq: 2, endSeq: null },
    { seq: 4, endSeq: null },
    { seq: 5, endSeq: null },
  ]);
  expect(hidden).toBe(0);
  expect(rowOf(rows, 3)).toBe(0);
  expect(rowOf(rows, 4)).toBe(2);
  expect(rowOf(rows, 99)).toBe(-1);
});

test('shows how many events a filter or a time window hides', () => {
  const matches = (one: { event: { category: string } }) => one.event.category === 'tool';
  expect(eventRowsMaker({ ...all, matches })(model)).toMatchObject({ hidden: 1 });
  expect(eventRowsMaker({ ...all, window: { from: 10, to: 30 } })(model)).toEqual({
    rows: [2, 3, 4].map((seq) => ({ seq, endSeq: null })),
    hidden: 2,
  });
});

test('a growing run gets the same rows as one read at once', () => {
  const growing = runOf();
  const rows = eventRowsMaker({ ...all, grouped: true });
  for (const one of model.events) {
    addEvent(growing, one);
    rows(growing);
  }
  expect(rows(growing)).toEqual(eventRowsMaker({ ...all, grouped: true })(model));
});
