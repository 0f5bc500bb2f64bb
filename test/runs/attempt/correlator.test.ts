import { expect, test } from 'vitest';
import type { RaspData, RaspDraft, RaspType } from '../../../src/protocol/index.ts';
import { Correlator } from '../../../src/runs/attempt/correlation/correlator.ts';

/** Numbers drafts as the journal does, and returns their correlations. */
function correlateAll(correlator: Correlator, drafts: readonly RaspDraft[], from = 1) {
  return drafts.map((draft, index) => correlator.tie(draft, from + index).correlation);
}

function draft<T extends RaspType>(
  type: T,
  data: RaspData<T>,
  { parser = 'tacho', correlation = {} }: { parser?: string; correlation?: RaspDraft['correlation'] } = {},
): RaspDraft {
  const stream = parser === 'tacho' ? null : 'stdout';
  return {
    ts: '2026-11-16T08:00:00.000Z',
    attempt_number: 1,
    source: { engine: 'demo', parser, stream, confidence: 1 },
    event: { category: type.slice(0, type.indexOf('.')), type },
    data,
    correlation,
    raw_ref: null,
  } as unknown as RaspDraft;
}

const engine = { parser: 'demo' };
const completion: RaspData<'lifecycle.completion.state'> = {
  state: 'awaiting_user_input',
  reason_code: 'ENGINE_WAITS',
  source: 'engine',
  confidence: 1,
  needs_user_input: true,
  diagnostics: [],
};

const QUESTION = { interaction_id: '1.1', kind: 'free_text', prompt: 'Which colour?' } as const;

test('events of tacho in an attempt refer to session, message, question and cause', () => {
  const ties = correlateAll(new Correlator('/work'), [
    draft('lifecycle.run.status', { status: 'queued', reason_code: 'requested' }),
    draft('interaction.reply.accepted', { interaction_id: '1.prompt', text: 'paint it', source: 'prompt' }),
    draft('lifecycle.run.status', { status: 'running', phase: 'started' }),
    draft(
      'lifecycle.run.status',
      { status: 'running', phase: 'init', session_id: 's-1' },
      { ...engine, correlation: { session_id: 's-1' } },
    ),
    draft('raw.stdout', { text: 'noise', lines: 1 }, engine),
    draft('agent.message.final', { message_id: 'm-1', text: 'Which colour?' }, engine),
    draft('diagnostic.runtime.warning', { code: 'DRAIN_DEADLINE', message: '…', severity: 'warning' }),
    draft('lifecycle.completion.state', completion),
    draft('interaction.user_input.required', QUESTION),
    draft('lifecycle.run.status', { status: 'waiting_user' }),
  ]);
  expect(ties).toEqual([
    {},
    { interaction_id: '1.prompt' },
    { parent_seq: 2 },
    { session_id: 's-1' },
    { parent_seq: 3 },
    {},
    { session_id: 's-1', parent_seq: 3 },
    { session_id: 's-1', message_id: 'm-1', parent_seq: 4 },
    { session_id: 's-1', interaction_id: '1.1', message_id: 'm-1', parent_seq: 6 },
    { session_id: 's-1', interaction_id: '1.1', parent_seq: 9 },
  ]);
});

test('a reply refers to the question of the previous attempt', () => {
  const correlator = new Correlator('/work', 's-1');
  correlator.observe(draft('interaction.user_input.required', QUESTION), 9);
  const ties = correlateAll(
    correlator,
    [
      draft('lifecycle.run.status', { status: 'queued', reason_code: 'reply_accepted' }),
      draft('interaction.reply.accepted', { interaction_id: '1.1', text: 'red', source: 'reply' }),
      draft('lifecycle.run.status', { status: 'running', phase: 'resumed' }),
    ].map((made) => ({ ...made, attempt_number: 2 })),
    11,
  );
  expect(ties).toEqual([
    { session_id: 's-1', interaction_id: '1.1', parent_seq: 9 },
    { session_id: 's-1', interaction_id: '1.1', parent_seq: 9 },
    { session_id: 's-1', interaction_id: '1.1', parent_seq: 12 },
  ]);
});

test('an approval, its decision and both run statuses refer to each other', () => {
  const correlator = new Correlator('/work');
  const ties = correlateAll(correlator, [
    draft('lifecycle.run.status', { status: 'running', phase: 'started' }),
    draft('interaction.approval.requested', { approval_id: 'a-1', summary: 'rm x' }, engine),
    draft('lifecycle.run.status', { status: 'waiting_approval' }),
    draft('interaction.approval.decided', { approval_id: 'a-1', decision: 'approved' }),
    draft('lifecycle.run.status', { status: 'running', reason_code: 'approval_decided' }),
  ]);
  expect(ties.slice(2)).toEqual([
    { interaction_id: 'a-1', parent_seq: 2 },
    { interaction_id: 'a-1', parent_seq: 2 },
    { interaction_id: 'a-1', parent_seq: 4 },
  ]);
});

test('a changed file refers to the call that changed it', () => {
  const correlator = new Correlator('/work');
  const ties = correlateAll(correlator, [
    draft('lifecycle.run.status', { status: 'running', phase: 'started' }),
    draft('tool.call.started', { call_id: 'c-1', name: 'write', arguments: { path: 'a.txt' } }, engine),
    draft('artifact.created', { path: 'a.txt', size: 1, sha256: null }, { correlation: { call_id: 'c-1' } }),
    draft('artifact.created', { path: 'b.txt', size: 1, sha256: null }),
  ]);
  expect(ties.slice(2)).toEqual([{ call_id: 'c-1', parent_seq: 2 }, { parent_seq: 1 }]);
});

test('events of a parser keep their own correlation', () => {
  const correlator = new Correlator('/work', 's-1');
  const call = draft(
    'tool.call.started',
    { call_id: 'c-1', name: 'write' },
    { ...engine, correlation: { call_id: 'c-1' } },
  );
  expect(correlator.tie(call, 5)).toBe(call);
});
