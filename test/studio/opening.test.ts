import { expect, test } from 'vitest';
import { foldConversation } from '../../src/conversation/index.ts';
import type { RaspEvent } from '../../src/protocol/index.ts';
import { foldEvents, timeOf } from '../../src/record/index.ts';
import { openingChange } from '../../studio/model/opening.ts';
import { firstRequest, titleOf } from '../../studio/model/run-title.ts';
import { FIRST_VIEW } from '../../studio/model/view.ts';
import { eventsOf } from './events.ts';

const modelOf = (events: RaspEvent[]) => foldEvents(events, foldConversation(events));

type EventSpec = Parameters<typeof eventsOf>[0][number];

const SPOKEN: readonly EventSpec[] = [
  ['lifecycle.run.status', { status: 'running' }],
  ['interaction.reply.accepted', { interaction_id: '1.prompt', text: 'write a report\nplease', source: 'prompt' }],
  ['agent.message.final', { message_id: 'm1', text: 'one' }],
  ['agent.message.final', { message_id: 'm2', text: 'two' }],
];
const completion = (state: 'completed' | 'interrupted'): EventSpec => [
  'lifecycle.completion.state',
  { state, reason_code: 'X', source: 'process', confidence: 1, needs_user_input: false, diagnostics: [] },
];
const error = (severity: 'error' | 'warning'): EventSpec => [
  'diagnostic.engine.error',
  { code: 'ENGINE_ERROR', message: 'no', severity },
];

test('keeps the selection of the link', () => {
  const model = modelOf(eventsOf([...SPOKEN, ['lifecycle.run.status', { status: 'failed' }]]));
  expect(openingChange(model, { ...FIRST_VIEW, selection: { kind: 'event', seq: 2 }, following: false })).toBeNull();
  expect(openingChange(model, { ...FIRST_VIEW, time: 5, following: false })).toBeNull();
});

test('follows a live run', () => {
  expect(openingChange(modelOf(eventsOf([...SPOKEN])), FIRST_VIEW)).toBeNull();
});

test('opens at the failing event', () => {
  const end: EventSpec = ['lifecycle.run.status', { status: 'failed' }];
  const engine = modelOf(eventsOf([...SPOKEN, error('error'), error('warning'), completion('interrupted'), end]));
  expect(openingChange(engine, FIRST_VIEW)).toEqual({
    selection: { kind: 'event', seq: 5 },
    time: timeOf(engine, engine.events[4]!),
    following: false,
  });
  const silent = modelOf(eventsOf([...SPOKEN, error('warning'), completion('interrupted'), end]));
  expect(openingChange(silent, FIRST_VIEW)).toMatchObject({ selection: { kind: 'event', seq: 6 } });
});

test('a succeeded run opens at its last message, with the playhead at the end', () => {
  const model = modelOf(
    eventsOf([...SPOKEN, completion('completed'), ['lifecycle.run.status', { status: 'succeeded' }]]),
  );
  expect(openingChange(model, FIRST_VIEW)).toEqual({ selection: { kind: 'event', seq: 4 }, following: false });
});

test('the title of a run is its first request', () => {
  const { messages } = modelOf(
    eventsOf([...SPOKEN, ['interaction.reply.accepted', { interaction_id: 'q', text: 'shorter' }]]),
  );
  expect(titleOf(null, firstRequest(messages))).toBe('write a report');
  expect(titleOf(null, null)).toBe('…');
});
