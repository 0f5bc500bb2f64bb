import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { call, say } from '../../../src/agent/models/script.ts';
import { decideApproval } from '../../../src/agent/pending/index.ts';
import { recordedTools } from '../../../src/agent/testkit/recorded-tools.ts';
import { carryOut, dataOf, policyOf, testAgent } from '../../support/agent.ts';

/** As servers do that begin with call_0 in each response. */
const repeated = (...inputs: object[]) =>
  inputs.map((input, index) => call('act', { ...input }, { id: `call_${index}` }));

function actor(answer: (n: number) => string = (n) => `done ${n}`) {
  return recordedTools({ act: (_, n) => answer(n) }, { act: { hasEffects: true, concurrency: 'exclusive' } });
}

it('the same ids in each response belong to different calls', async () => {
  const script = [repeated({ n: 1 }, { n: 2 }), repeated({ n: 3 }, { n: 4 }), say('Done.')];
  const tools = actor((n) => `${n} ${'x'.repeat(100_000)}`);
  const parts = testAgent({ script, tools });
  const { events, result } = await carryOut(parts);
  expect(result.status).toBe('completed');
  expect(tools.calls.map(({ input }) => (input as { n: number }).n)).toEqual([1, 2, 3, 4]);
  const artifacts = dataOf(events, 'tool_call_finished').map(({ artifact }) => artifact!);
  expect(new Set(artifacts).size).toBe(4);
  const folder = path.join(path.dirname(result.wal_locator), 'artifacts');
  const first = artifacts.map((name) => fs.readFileSync(path.join(folder, name), 'utf8').slice(0, 1));
  expect(new Set(first).size).toBe(4);
});

it('the same id within a response is made unique', async () => {
  const same = [call('act', { n: 1 }, { id: 'call_0' }), call('act', { n: 2 }, { id: 'call_0' })];
  const { events } = await carryOut(testAgent({ script: [same, same, say('Done.')], tools: actor() }));
  const ids = dataOf(events, 'tool_call_finished').map(({ step, call_id }) => `${step} ${call_id}`);
  expect(new Set(ids).size).toBe(4);
});

it('ids that look alike as names of files have artifacts of their own', async () => {
  const long = 'x'.repeat(150);
  const ids = ['a/b', 'a:b', 'a_b', `${long}1`, `${long}2`, '../../a', ''];
  const script = [ids.map((id, n) => call('act', { n }, { id })), say('Done.')];
  const { events, result } = await carryOut(testAgent({ script, tools: actor(() => 'x'.repeat(100_000)) }));
  const artifacts = dataOf(events, 'tool_call_finished').map(({ artifact }) => artifact!);
  expect(new Set(artifacts).size).toBe(ids.length);
  expect(fs.readdirSync(path.join(path.dirname(result.wal_locator), 'artifacts')).sort()).toEqual(artifacts.sort());
});

it('an approval of an earlier call with the same id does not count', async () => {
  const script = [repeated({ n: 1 }), repeated({ n: 2 }), say('Done.')];
  const tools = actor();
  const model = { position: 'prompt' as const };
  const options = { script, tools, model, policy: policyOf(() => 'ask'), approvals: 'later' as const };
  const first = testAgent(options);
  const { result } = await carryOut(first);
  await decideApproval(first.options.workspaceRoot, `${result.run_id}.a1`, 'approved');
  const second = testAgent({ ...first.options, ...options });
  const resumed = await carryOut(second, second.agent.resume(result.run_id));
  expect(resumed.result).toMatchObject({ status: 'waiting', approvals: [`${result.run_id}.a2`] });
  expect(tools.calls.map(({ input }) => input)).toEqual([{ n: 1 }]);
});
