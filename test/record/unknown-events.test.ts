import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createChatView } from '../../src/cli/chat/chat-view.ts';
import { checkedEvent, checkedMessage } from '../../src/client/parse-events.ts';
import { createConversation } from '../../src/conversation/index.ts';
import type { FcmpMessage, RaspEvent } from '../../src/protocol/index.ts';
import { applyEvent } from '../../src/record/apply-event.ts';
import { discSvg, foldEvents, type RunModel } from '../../src/record/index.ts';
import { textOfLine } from '../../src/runs/index/message-text.ts';
import { emptyConversation, growConversation } from '../../studio/model/conversation/conversation-rows.ts';
import { correlationLinks } from '../../studio/model/events/correlation-links.ts';
import { diagnosticsOf } from '../../studio/model/events/diagnostic-groups.ts';
import { eventMatcher } from '../../studio/model/events/event-match.ts';
import { eventRowsMaker } from '../../studio/model/events/event-rows.ts';
import { summarizeEvent } from '../../studio/model/events/event-summary.ts';
import { addToGraph, emptyGraph } from '../../studio/model/graph/graph.ts';
import { createParseShare } from '../../studio/model/parse-share.ts';
import { spanOf } from '../../studio/model/span-of.ts';
import { marksOf } from '../../studio/model/timeline/timeline-marks.ts';
import { RecordedRun } from '../conversation/recorded-run.ts';
import { proofSize } from '../support/proof-size.ts';
import { unknownEvent, unknownType, withUnknown } from '../support/unknown-events.ts';

function sample(): RaspEvent[] {
  const run = new RecordedRun()
    .event('lifecycle.run.status', { status: 'running', session_id: 's-1' })
    .event('tool.call.started', { call_id: 'a', name: 'ls', kind: 'command' })
    .raw('one\ntwo\n')
    .event('tool.call.completed', { call_id: 'a', name: 'ls', kind: 'command' })
    .event('artifact.created', { path: 'x.txt', size: 1, sha256: null })
    .final('done')
    .event('diagnostic.engine.error', { code: 'ENGINE_ERROR', message: 'hm', severity: 'warning' })
    .event('lifecycle.run.status', { status: 'succeeded' });
  return run.events;
}

function conversationOf(events: readonly RaspEvent[]): FcmpMessage[] {
  const fold = createConversation({ run_id: events[0]!.run_id });
  return events.flatMap((event) => fold.push(event));
}

function chatOf(messages: readonly FcmpMessage[]): string {
  let written = '';
  const write = (text: string) => {
    written += text;
  };
  createChatView({ write, columns: 80, rewrites: false, colors: false }).show(messages);
  return written;
}

/** Everything that a page derives from a run. */
function drawPage(model: RunModel): void {
  const graph = emptyGraph();
  for (const event of model.events) {
    summarizeEvent(event);
    correlationLinks(model, event);
    spanOf(model, event.seq);
    addToGraph(graph, event);
  }
  for (const grouped of [true, false]) {
    eventRowsMaker({ matches: eventMatcher([]), window: null, grouped })(model);
  }
  diagnosticsOf(model, { window: null, below: 2 } as never);
  createParseShare()(model);
  marksOf(model);
  discSvg(model, { size: 96, title: 'a run' });
  growConversation(emptyConversation(), model.messages);
}

test('unknown events anywhere in a run break no fold, and hide no known events', () => {
  const known = conversationOf(sample()).filter(({ type }) => type !== 'diagnostic.warning');
  const state = sample().reduce<ReturnType<typeof applyEvent> | null>(applyEvent, null);
  fc.assert(
    fc.property(fc.array(unknownEvent, { minLength: 1, maxLength: 6 }), (unknown) => {
      const events = withUnknown(sample(), unknown);
      const messages = conversationOf(events);
      const spoken = messages.filter(({ type }) => type !== 'diagnostic.warning');
      expect(spoken.map(({ type, data }) => ({ type, data }))).toEqual(known.map(({ type, data }) => ({ type, data })));
      for (const message of messages) expect(checkedMessage(message, 'here')).toEqual(message);
      chatOf(messages);
      for (const message of messages) textOfLine(Buffer.from(JSON.stringify(message)));
      const folded = events.reduce<ReturnType<typeof applyEvent> | null>(applyEvent, null);
      expect(folded!.status).toBe(state!.status);
      const model = foldEvents(events, messages);
      expect(model.events).toHaveLength(events.length);
      expect(model.status).toBe('succeeded');
      drawPage(model);
    }),
    { numRuns: proofSize({ small: 45, full: 150 }) },
  );
});

test('an unknown event type is named once in the conversation', () => {
  const unknown = ['x.y', 'x.y', 'x.z'].map((type, at) => ({ type, data: { text: 'hm' }, at, more: null }));
  const messages = conversationOf(withUnknown(sample(), unknown));
  const notices = messages.filter(({ data }) => 'code' in data && data.code === 'NEWER_VERSION');
  expect(notices.map(({ data }) => (data as { event_type?: unknown }).event_type).sort()).toEqual(['x.y', 'x.z']);
  expect(chatOf(messages)).toContain('x.z');
});

test('a client passes unknown event types, categories and fields unchanged', () => {
  const [event] = sample();
  const chain = '0'.repeat(64);
  fc.assert(
    fc.property(unknownType, fc.jsonValue(), (type, more) => {
      const value = { ...event, chain, event: { category: 'x', type, more }, data: more, more };
      expect(checkedEvent(value, 'here')).toMatchObject({ seq: 1, event: { type }, data: more });
    }),
  );
  const withField = { ...event, chain, data: { ...event!.data, more: 1 } };
  expect(checkedEvent(withField, 'here')).toEqual(withField);
  const damaged = { ...event, chain, data: { status: 5 } };
  expect(() => checkedEvent(damaged, 'here')).toThrow(/status/);
  for (const wrong of [null, 'x', {}, { ...event, chain, seq: 0 }, { ...event, chain, ts: 'soon' }]) {
    expect(() => checkedEvent(wrong, 'here')).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
  }
});

test('an event of a newer protocol is read if it is valid, and shown as unknown otherwise', () => {
  const [event] = sample();
  const newer = { ...event, protocol_version: 'rasp/2.0', chain: '0'.repeat(64) };
  const fits = checkedEvent({ ...newer, data: { status: 'running', more: 1 } }, 'here');
  expect(foldEvents([fits]).status).toBe('running');
  const unreadable = checkedEvent({ ...newer, data: { status: 'hibernating' } }, 'here');
  expect(unreadable.event.type).toBe('lifecycle.run.status@rasp/2.0');
  expect(unreadable.data).toEqual({ status: 'hibernating' });
  // The way in which the server and the command line read events from the file.
  const raw = { ...newer, data: { status: 'hibernating' } } as unknown as RaspEvent;
  expect(foldEvents([raw]).status).toBe('queued');
  expect(conversationOf([raw]).map(({ type }) => type)).not.toContain('conversation.state.changed');
});

test('a message of a newer version becomes a notice with its content', () => {
  const [message] = conversationOf(sample());
  const unknown = { ...message, type: 'assistant.dream', data: { text: 'sheep' }, more: 1 };
  expect(checkedMessage(unknown, 'here')).toMatchObject({
    seq: message!.seq,
    type: 'diagnostic.warning',
    data: { code: 'NEWER_VERSION', message_type: 'assistant.dream', message_data: { text: 'sheep' } },
  });
  const more = { ...message, more: 1 };
  expect(checkedMessage(more, 'here')).toMatchObject({ type: message!.type });
  expect(chatOf([unknown as unknown as FcmpMessage, { ...unknown, type: 'constructor' } as never])).toBe('');
});
