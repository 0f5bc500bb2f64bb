import { expect, it } from 'vitest';
import { call, say, wait } from '../../../src/agent/models/script.ts';
import { listAgentRuns } from '../../../src/agent/wal/index.ts';
import { tool } from '../../../src/tools/index.ts';
import { carryOut, dataOf, policyOf, signalOf, testAgent } from '../../support/agent.ts';

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

const byPrompt = { position: 'prompt' } as const;

/** A tool that runs until it is stopped, the first time that it is called. */
function slowOnce() {
  const reached = signalOf();
  let calls = 0;
  const slow = tool({
    name: 'slow',
    description: 'Takes long.',
    input: { type: 'object' },
    execute: async (_, { signal }) => {
      if (++calls > 1) return 'quick this time';
      reached.resolve();
      return await untilAborted(signal);
    },
  });
  return { slow, reached: reached.promise };
}

it('stops a tool call and leaves a run that can be resumed', async () => {
  const { slow, reached } = slowOnce();
  const script = [[call('slow', {}), call('slow', { again: true })], call('slow', {}), say('Done.')];
  const parts = testAgent({ script, tools: [slow], model: byPrompt });
  const run = parts.agent.run('Do it');
  const carried = carryOut(parts, run);
  await reached;
  await run.close('no longer needed');
  const { result, events, types } = await carried;
  expect(result).toMatchObject({ status: 'closed', reason: 'no longer needed' });
  expect(types.slice(-4)).toEqual(['close_requested', 'tool_call_finished', 'tool_call_finished', 'run_waiting']);
  expect(dataOf(events, 'tool_call_finished').map(({ result: { error_kind } }) => error_kind)).toEqual([
    'cancelled',
    'cancelled',
  ]);
  expect(dataOf(events, 'run_waiting')).toEqual([{ approvals: [], questions: [] }]);
  const { result: end } = await carryOut(parts, parts.agent.resume(run.id));
  expect(end).toMatchObject({ status: 'completed', text: 'Done.' });
});

it('stops a request to the model, which is sent again after a resume', async () => {
  const reached = signalOf();
  let requests = 0;
  const hanging = wait((signal) => {
    if (++requests > 1) return;
    reached.resolve();
    return untilAborted(signal);
  });
  const parts = testAgent({ script: () => [hanging, say('Done.')] });
  const run = parts.agent.run('Do it');
  const carried = carryOut(parts, run);
  await reached.promise;
  await run.close();
  expect((await carried).result).toMatchObject({ status: 'closed', reason: 'closed' });
  const { result, events } = await carryOut(parts, parts.agent.resume(run.id));
  expect(result).toMatchObject({ status: 'completed', steps: 1 });
  expect(dataOf(events, 'llm_request_started').map(({ try: tries }) => tries)).toEqual([1, 2]);
});

it('gives up an approval that it waits for', async () => {
  const reached = signalOf();
  const look = tool({ name: 'look', description: 'Looks.', input: { type: 'object' }, execute: () => 'seen' });
  const parts = testAgent({
    script: [call('look', {}), say('Done.')],
    model: byPrompt,
    tools: [look],
    policy: policyOf(() => 'ask'),
    approvals: {
      decide: async (_, signal) => {
        reached.resolve();
        return await untilAborted(signal);
      },
    },
  });
  const run = parts.agent.run('Do it');
  const carried = carryOut(parts, run);
  await reached.promise;
  await run.close();
  expect((await carried).result).toMatchObject({ status: 'closed' });
  expect((await carryOut(parts, parts.agent.resume(run.id))).result).toMatchObject({ status: 'completed' });
});

it('is one of several ends: a cancel that came before counts', async () => {
  const { slow, reached } = slowOnce();
  const parts = testAgent({ script: [call('slow', {})], tools: [slow] });
  const run = parts.agent.run('Do it');
  const carried = carryOut(parts, run);
  await reached;
  await Promise.all([run.cancel('enough'), run.close('too late')]);
  const { result, types } = await carried;
  expect(result).toMatchObject({ status: 'cancelled', reason: 'enough' });
  expect(types).not.toContain('close_requested');
});

it('does nothing to a run that has ended', async () => {
  const parts = testAgent({ script: [say('Done.')] });
  const run = parts.agent.run('Do it');
  const { events } = await carryOut(parts, run);
  await run.close();
  expect((await run.result).status).toBe('completed');
  const [entry] = await listAgentRuns(parts.options.workspaceRoot);
  expect(entry).toMatchObject({ last: { seq: events.length } });
});
