import { describe, expect, test } from 'vitest';
import { eventAt, foldEvents, lengthOf, openQuestion, seqAt, timeOf } from '../../src/record/index.ts';
import { clock, duration } from '../../studio/model/times.ts';
import { eventsOf } from '../studio/events.ts';

describe('a run, folded from its events', () => {
  test('has attempts, calls, questions and waits', () => {
    const model = foldEvents(
      eventsOf([
        ['lifecycle.run.status', { status: 'queued' }],
        ['lifecycle.run.status', { status: 'running', model: 'demo-1' }],
        ['tool.call.started', { call_id: 'a', name: 'ls', kind: 'command' }],
        ['tool.call.completed', { call_id: 'a', name: 'ls', kind: 'command' }],
        ['tool.call.failed', { call_id: 'b', name: 'cat' }],
        ['interaction.user_input.required', { interaction_id: '1.1', kind: 'free_text', prompt: 'Which?' }],
        ['lifecycle.completion.state', completion('awaiting_user_input', 'QUESTION')],
        ['lifecycle.run.status', { status: 'waiting_user', usage: { total_tokens: 7 } }],
      ]),
    );
    expect(model).toMatchObject({ status: 'waiting_user', model: 'demo-1', usage: { total_tokens: 7 } });
    expect(model.attempts).toMatchObject([
      { number: 1, firstSeq: 1, lastSeq: 8, ending: { reason_code: 'QUESTION', seq: 7 } },
    ]);
    expect([...model.calls.values()]).toMatchObject([
      { name: 'ls', kind: 'command', startedSeq: 3, endedSeq: 4, failed: false },
      { name: 'cat', kind: null, startedSeq: 5, endedSeq: 5, failed: true },
    ]);
    expect(model.waits).toEqual([{ from: Date.parse(eventAt(model, 8)!.ts), to: null }]);
    expect(openQuestion(model)).toMatchObject({ interaction_id: '1.1', prompt: 'Which?', seq: 6 });
    expect(eventAt(model, 9)).toBeUndefined();
  });

  test('has the times when a question was answered and when waiting ended', () => {
    const model = foldEvents(
      eventsOf([
        ['interaction.user_input.required', { interaction_id: '1.1', kind: 'free_text', prompt: 'Which?' }],
        ['lifecycle.run.status', { status: 'waiting_user' }],
        ['interaction.reply.accepted', { interaction_id: '1.1', text: 'blue' }],
        ['lifecycle.run.status', { status: 'queued' }],
        ['lifecycle.run.status', { status: 'running' }, 2],
      ]),
    );
    expect(openQuestion(model)).toBeNull();
    expect(model.waits).toEqual([{ from: Date.parse(eventAt(model, 2)!.ts), to: Date.parse(eventAt(model, 4)!.ts) }]);
    expect(model.attempts.map(({ number }) => number)).toEqual([1, 2]);
  });

  test('has approvals with request and decision, and the number of diagnostics', () => {
    const model = foldEvents(
      eventsOf([
        ['interaction.approval.requested', { approval_id: 'x', summary: 'rm -r build' }],
        ['diagnostic.engine.error', { code: 'ENGINE_ERROR', message: 'no', severity: 'error' }],
        ['interaction.approval.decided', { approval_id: 'x', decision: 'denied' }],
      ]),
    );
    expect([...model.approvals.values()]).toMatchObject([{ requestedSeq: 1, decidedSeq: 3, decision: 'denied' }]);
    expect(model.diagnostics).toEqual([2]);
  });

  test('adds the usage of its attempts, and an attempt starts when it leaves the queue', () => {
    const events = eventsOf([
      ['lifecycle.run.status', { status: 'queued' }],
      ['lifecycle.run.status', { status: 'running' }],
      ['lifecycle.run.status', { status: 'running', usage: { input_tokens: 180 } }],
      ['lifecycle.run.status', { status: 'running', usage: { input_tokens: 89 } }, 2],
    ]);
    // Tacho itself reports that a run is queued and running.
    const own = events.map((event, at) => (at < 2 ? { ...event, source: { ...event.source, stream: null } } : event));
    const model = foldEvents(own);
    expect(model.usage).toEqual({ input_tokens: 269 });
    expect(model.attempts[0]!.from).toBe(Date.parse(own[1]!.ts));
  });
});

describe('times', () => {
  const model = foldEvents(eventsOf(Array.from({ length: 50 }, () => ['lifecycle.run.status', { status: 'running' }])));

  test('are relative to the first event, and map back to the latest event', () => {
    expect(timeOf(model, eventAt(model, 11)!)).toBe(1000);
    expect(lengthOf(model)).toBe(4900);
    expect([-1, 0, 99, 100, 1050, 9999].map((time) => seqAt(model, time))).toEqual([0, 1, 1, 2, 11, 50]);
  });

  test('are written as clocks and as durations', () => {
    expect([0, 134_320, 3_734_000].map((ms) => clock(ms))).toEqual(['0:00', '2:14', '1:02:14']);
    expect(clock(134_320, { tenths: true })).toBe('2:14.3');
    expect([12, 1234, 42_000, 134_000, 3_734_000].map(duration)).toEqual([
      '12 ms',
      '1.2 s',
      '42 s',
      '2 min 14 s',
      '1 h 2 min',
    ]);
  });
});

function completion(state: string, reason_code: string) {
  return { state, reason_code, source: 'engine', confidence: 1, needs_user_input: true, diagnostics: [] };
}
