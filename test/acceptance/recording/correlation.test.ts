import { expect, test } from 'vitest';
import type { RaspEvent } from '../../../src/protocol/index.ts';
import { sandbox } from '../../support/tacho.ts';

const of = <T extends RaspEvent['event']['type']>(events: readonly RaspEvent[], type: T) =>
  events.filter((event) => event.event.type === type) as RaspEvent<T>[];

/** Events without a parent; only the request may have none. */
function withoutParent(events: readonly RaspEvent[]): string[] {
  const own = events.filter(({ source, event }) => source.parser === 'tacho' || event.category === 'raw');
  const roots = ['lifecycle.run.requested'];
  return own
    .filter(({ correlation, event }) => correlation.parent_seq === undefined && !roots.includes(event.type))
    .map(({ seq, event }) => `${seq} ${event.type}`);
}

test('every event that tacho creates names its parent event', async () => {
  const box = sandbox();
  const asked = await box.jsonHere([
    'run',
    'demo',
    '--mode',
    'interactive',
    '--engine-arg=--pace=0',
    '--',
    'write a report',
  ]);
  expect(asked.status).toBe('waiting_user');
  await box.here(['resume', asked.run_id, '--', 'with a total']);
  const events = box.events();

  expect(withoutParent(events)).toEqual([]);
  for (const { seq, correlation } of events) expect(correlation.parent_seq ?? 0).toBeLessThan(seq);

  const [question] = of(events, 'interaction.user_input.required');
  const message = of(events, 'agent.message.final').findLast(({ seq }) => seq < question!.seq)!;
  expect(question!.correlation).toMatchObject({
    interaction_id: '1.1',
    message_id: message.data.message_id,
    parent_seq: message.seq,
    session_id: message.correlation.session_id,
  });
  const reply = of(events, 'interaction.reply.accepted').at(-1)!;
  expect(reply.correlation).toMatchObject({ interaction_id: '1.1', parent_seq: question!.seq });
});

test('a changed file names the tool call that changed it', async () => {
  const box = sandbox();
  await box.here(['run', 'demo', '--engine-arg=--pace=0', '--', 'write a report']);
  const events = box.events();
  const written = of(events, 'artifact.created').filter(({ data }) => data.path.endsWith('.md'));
  expect(written).toHaveLength(1);
  const { data, correlation } = written[0]!;
  const call = of(events, 'tool.call.started').find(({ data: { call_id } }) => call_id === correlation.call_id)!;
  expect(call.data).toMatchObject({ name: 'write_file', arguments: { path: data.path } });
  expect(data.changed_by).toEqual({ call_id: call.data.call_id, by: 'arguments', confidence: 0.95 });
  expect(correlation.parent_seq).toBe(call.seq);
});

test('the parent of a plain command’s output is the start of its attempt', async () => {
  const box = sandbox();
  await box.here(['run', '--', 'echo', 'hello']);
  const events = box.events();
  const running = of(events, 'lifecycle.run.status').find(({ data }) => data.status === 'running')!;
  expect(of(events, 'raw.stdout').map(({ correlation }) => correlation)).toEqual([{ parent_seq: running.seq }]);
  expect(withoutParent(events)).toEqual([]);
});
