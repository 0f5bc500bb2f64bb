// Tests of an agent, with the test kit: a scripted model, recorded tools, and a clock that the test moves.
// No test waits, sends or executes anything, and each gives the same events every time.
//
//   node --test examples/agent-test.mjs

import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { Agent, policyOnlyApprover } from 'tachograph/agent';
import {
  call,
  fail,
  memoryClock,
  recordedTools,
  scriptedModel,
  seededRandom,
  sequentialIds,
} from 'tachograph/agent/testkit';

/** The agent under test. Programs pass a real model, the real tools and no clock. */
function createSupportAgent({ model, tools, clock }) {
  return new Agent({
    workspaceRoot: mkdtempSync(path.join(tmpdir(), 'agent-test-')),
    model,
    tools,
    clock,
    newId: sequentialIds(),
    random: seededRandom(),
    approvals: policyOnlyApprover(),
    prompt: { template: 'plain', developer: 'Never refund an order that was not delivered.' },
  });
}

test('looks up the order before it answers', async () => {
  const tools = recordedTools({ order_status: 'delivered on Monday' });
  const model = scriptedModel([call('order_status', { order: 'A-17' }), 'It was delivered on Monday.'], {
    record: true,
  });
  const { status, output } = await createSupportAgent({ model, tools }).run('Where is order A-17?').result;
  assert.deepEqual([status, output], ['completed', 'It was delivered on Monday.']);
  assert.deepEqual(tools.calls, [{ name: 'order_status', input: { order: 'A-17' } }]);
  // What the model was sent: our rules are in the system message of every request.
  for (const { prompt } of model.requests) assert.match(prompt[0].content, /Never refund/);
});

test('refunds nothing without an approval', async () => {
  const tools = recordedTools({ refund: 'refunded' }, { refund: { hasEffects: true } });
  const model = scriptedModel([call('refund', { order: 'A-17' }), 'I may not do that.']);
  const run = createSupportAgent({ model, tools }).run('Refund order A-17!');
  const results = [];
  for await (const { type, data } of run) if (type === 'tool_call_finished') results.push(data.result.error_kind);
  assert.deepEqual(results, ['denied']);
  assert.deepEqual(tools.calls, []);
});

test('survives a busy service, without waiting for it in the test', async () => {
  const busy = fail({ kind: 'overloaded', retryable: true, retry_after_ms: 30_000 });
  const clock = memoryClock();
  const agent = createSupportAgent({ model: scriptedModel([busy, busy, 'Hello.']), tools: [], clock });
  const run = agent.run('Hi');
  for (let retry = 0; retry < 2; retry++) {
    await clock.untilSleeping();
    await clock.advance(30_000);
  }
  const { status, steps } = await run.result;
  assert.deepEqual([status, steps], ['completed', 1]);
  // The events are the same in every run of this test, so a replay compares whole runs.
  assert.equal((await agent.replay(run.id)).identical, true);
});
