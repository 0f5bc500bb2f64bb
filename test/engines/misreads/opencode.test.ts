import { expect, test } from 'vitest';
import { dataOf, phasesOf, readFixture, typesOf } from './read-fixture.ts';

test('steps that end without a reason keep their usage, and one without calls is the last', () => {
  const drafts = readFixture('opencode', 'made-no-reason');
  expect(phasesOf(drafts)).toEqual(['step_start', 'step_finish.tool-calls', 'step_start', 'step_finish.stop']);
  const usage = dataOf(drafts, 'lifecycle.run.status').at(-1)?.usage;
  expect(usage).toMatchObject({ input_tokens: 220, output_tokens: 30, cost_usd: 0.03 });
});

test('a call that is pending or running has begun, once', () => {
  const drafts = readFixture('opencode', 'made-running-call');
  expect(typesOf(drafts).filter((type) => /^(tool|raw|diagnostic)/.test(type))).toEqual([
    'tool.call.started',
    'tool.call.completed',
  ]);
  expect(dataOf(drafts, 'tool.call.completed')).toMatchObject([
    { call_id: 'prt_call', arguments: { command: 'make door' }, exit_code: 0, duration_ms: 500 },
  ]);
});
