import { expect, test } from 'vitest';
import { correlationLinks } from '../../studio/model/events/correlation-links.ts';
import { event, runOf } from './evidence-events.ts';

test('a correlation links to the first other event with the same id', () => {
  const call = { call_id: 'a', name: 'run' };
  const model = runOf(
    event({ type: 'tool.call.started', data: call, correlation: { call_id: 'a', session_id: 's' } }),
    event({ type: 'tool.call.completed', data: call, correlation: { call_id: 'a', parent: 'gone', parent_seq: 1 } }),
  );
  expect(correlationLinks(model, model.events[1]!)).toEqual([
    { name: 'call_id', value: 'a', seq: 1, missing: false },
    { name: 'parent', value: 'gone', seq: null, missing: true },
    { name: 'parent_seq', value: '1', seq: 1, missing: false },
  ]);
  expect(correlationLinks(model, model.events[0]!).map(({ seq }) => seq)).toEqual([2, null]);
});
