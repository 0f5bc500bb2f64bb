import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type RaspEvent, raspDataSchemas, runStateSchema } from '../../src/protocol/index.ts';
import { applyEvent, foldEvents } from '../../src/record/apply-event.ts';
import { raspData } from '../protocol/samples.ts';

/** Events of every type with valid data, in any order, of up to three attempts. */
const event = fc
  .record({
    type: fc.constantFrom(...(Object.keys(raspDataSchemas) as (keyof typeof raspData)[]), 'from.the.future' as never),
    status: fc.constantFrom('queued', 'running', 'waiting_user', 'succeeded', 'failed', 'canceled', 'paused'),
    usage: fc.option(fc.record({ input_tokens: fc.nat(1000), cost_usd: fc.double({ min: 0, max: 9, noNaN: true }) })),
    session_usage: fc.option(fc.record({ output_tokens: fc.nat(1000) })),
    born: fc.constantFrom('stdout', null),
    attempt: fc.integer({ min: 1, max: 3 }),
    ms: fc.nat(100_000),
    watched: fc.boolean(),
  })
  .map(({ type, status, usage, session_usage, born, attempt, ms, watched }) => {
    const statusData = { status, ...(usage ? { usage } : {}), ...(session_usage ? { session_usage } : {}) };
    return {
      run_id: '20261115T083000-text-3f2a9c1b',
      ts: new Date(1_800_000_000_000 + ms).toISOString(),
      attempt_number: attempt,
      source: { engine: 'text', parser: 'text', stream: born, confidence: 1 },
      event: { category: type.split('.')[0], type },
      data: {
        ...(type === 'lifecycle.run.status' ? statusData : raspData[type]),
        ...(type === 'lifecycle.run.requested' && watched ? { watched: { path: '/sessions/one.jsonl' } } : {}),
      },
    } as unknown as RaspEvent;
  });

test('a fold continued from a stored state equals one from the first event', () => {
  fc.assert(
    fc.property(fc.array(event, { minLength: 1, maxLength: 40 }), fc.nat(40), (events, cut) => {
      const first = foldEvents(events.slice(0, cut));
      const stored = first && runStateSchema.parse(JSON.parse(JSON.stringify(first)));
      expect(foldEvents(events.slice(cut), stored)).toEqual(foldEvents(events));
    }),
  );
});

test('an event of an unknown type does not change the state', () => {
  const events = [
    { type: 'lifecycle.run.status', data: { status: 'running' } },
    { type: 'later.version', data: null },
  ];
  const [known, unknown] = events.map(({ type, data }, at) => ({
    run_id: '20261115T083000-text-3f2a9c1b',
    seq: at + 1,
    ts: '2026-11-15T08:30:00.000Z',
    attempt_number: 1,
    source: { engine: 'text', parser: 'tacho', stream: null, confidence: 1 },
    event: { category: type.split('.')[0], type },
    data,
  })) as unknown as RaspEvent[];
  const state = applyEvent(null, known!);
  expect(applyEvent(state, unknown!)).toBe(state);
});

test('queued, running and waiting time are counted separately', () => {
  const steps = [
    ['queued', 0],
    ['running', 5000],
    ['waiting_user', 6000],
    ['queued', 16_000],
    ['running', 17_000],
    ['succeeded', 19_500],
  ] as const;
  const events = steps.map(([status, ms], at) => ({
    run_id: '20261115T083000-text-3f2a9c1b',
    seq: at + 1,
    ts: new Date(1_800_000_000_000 + ms).toISOString(),
    attempt_number: at < 3 ? 1 : 2,
    source: { engine: 'text', parser: 'tacho', stream: null, confidence: 1 },
    event: { category: 'lifecycle', type: 'lifecycle.run.status' },
    data: { status },
  })) as unknown as RaspEvent[];
  expect(foldEvents(events)?.times).toEqual({
    started_at: events[1]!.ts,
    since: events[5]!.ts,
    queued_ms: 6000,
    working_ms: 3500,
    waiting_ms: 10_000,
  });
});

test('the usage of a run is that of all its attempts', () => {
  const eventOf = (attempt_number: number, type: string, data: object) => ({
    run_id: '20261115T083000-demo-3f2a9c1b',
    ts: '2026-11-15T08:30:00.000Z',
    attempt_number,
    source: { engine: 'demo', parser: 'demo', stream: type.endsWith('status') ? 'stdout' : null, confidence: 1 },
    event: { category: 'lifecycle', type },
    data,
  });
  const attempt = (number: number, session_id: string | null, input_tokens: number) => [
    eventOf(number, 'lifecycle.run.requested', { command: ['demo'], cwd: '/', session_id }),
    eventOf(number, 'lifecycle.run.status', { status: 'running', usage: { input_tokens } }),
  ];
  const events = [...attempt(1, null, 180), ...attempt(2, 's-1', 89)] as unknown as RaspEvent[];
  expect(foldEvents(events)?.usage).toEqual({ input_tokens: 269 });
});

function told(type: string, data: object, more: object = {}): RaspEvent {
  return {
    run_id: '20261115T083000-agent-3f2a9c1b',
    seq: 1,
    ts: '2026-11-15T08:30:00.000Z',
    attempt_number: 1,
    source: { engine: 'agent', parser: 'agent_log', stream: 'stdout', confidence: 1 },
    event: { category: type.split('.')[0], type },
    correlation: {},
    data,
    ...more,
  } as unknown as RaspEvent;
}

const asked = {
  interaction_id: '1.q1',
  prompt: 'Which colour?',
  kind: 'single_choice',
  questions: [
    { id: 'colour', text: 'Which colour?', choices: [{ value: 'red', description: null }], allow_other: false },
  ],
  agent: { workspace: '/work', run_id: 'run-1', question_id: 'run-1.q1' },
};
const tacho = { source: { engine: 'agent', parser: 'tacho', stream: null, confidence: 1 } };

test('a question of the engine itself is that of the run, with its choices, while the run waits', () => {
  const question = told('interaction.user_input.required', asked);
  const waiting = [question, told('lifecycle.run.status', { status: 'waiting_user' }, tacho)];
  expect(foldEvents(waiting)).toMatchObject({ status: 'waiting_user', question: asked });
  const done = [question, told('lifecycle.run.status', { status: 'succeeded' }, tacho)];
  expect(foldEvents(done)?.question).toBeNull();
});

test('a question of a child agent is not that of the run', () => {
  const ofChild = told('interaction.user_input.required', asked, { correlation: { parent: '1.call' } });
  const waiting = [ofChild, told('lifecycle.run.status', { status: 'waiting_user' }, tacho)];
  expect(foldEvents(waiting)?.question).toBeNull();
});
