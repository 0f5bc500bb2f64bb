import { expect, it } from 'vitest';
import { call, say, wait } from '../../../src/agent/models/script.ts';
import { tool } from '../../../src/tools/index.ts';
import { carryOut, dataOf, policyOf, signalOf, type TestOptions, testAgent } from '../../support/agent.ts';

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

async function interrupted(options: TestOptions, reached: Promise<unknown>) {
  const parts = testAgent(options);
  const run = parts.agent.run('Do it');
  const carried = carryOut(parts, run);
  await reached;
  await run.send('Stop that, and say why.', { interrupt: true });
  return { ...(await carried), model: parts.model };
}

it('stops a request to the model and sends the message in its place', async () => {
  const reached = signalOf();
  const hanging = wait((signal) => {
    reached.resolve();
    return untilAborted(signal);
  });
  const script = (_: unknown, n: number) => (n === 0 ? [say('Let me'), hanging] : 'Because.');
  const { result, events, model } = await interrupted({ script }, reached.promise);
  expect(result).toMatchObject({ status: 'completed', text: 'Because.', steps: 1 });
  expect(dataOf(events, 'prompt_compiled').map(({ step }) => step)).toEqual([1, 1]);
  expect(JSON.stringify(model.requests[1]!.prompt.at(-1))).toContain('Stop that');
});

it('stops tool calls, whose results come before the message', async () => {
  const reached = signalOf();
  const slow = tool({
    name: 'slow',
    description: 'Takes long.',
    input: { type: 'object' },
    execute: async (_, { signal }) => {
      reached.resolve();
      return await untilAborted(signal);
    },
  });
  const calls = [call('slow', {}, { id: 'a' }), call('slow', { n: 2 }, { id: 'b' })];
  // The same ids again, as some servers send them: nothing of the stopped calls counts for them.
  const again = tool({ name: 'again', description: 'Does it.', input: { type: 'object' }, execute: () => 'done' });
  const script = [calls, [call('again', {}, { id: 'a' }), call('again', { n: 2 }, { id: 'b' })], say('Because.')];
  const { result, events, model } = await interrupted({ script, tools: [slow, again] }, reached.promise);
  expect(result).toMatchObject({ status: 'completed', text: 'Because.' });
  expect(model.requests[1]!.prompt.slice(-2).map(({ role }) => role)).toEqual(['tool', 'user']);
  expect(
    dataOf(events, 'tool_call_finished').map(({ result: { error_kind, stdout } }) => error_kind ?? stdout),
  ).toEqual(['cancelled', 'cancelled', 'done', 'done']);
});

it('gives up an approval, and asks again for the next call', async () => {
  const reached = signalOf();
  let asked = 0;
  const look = tool({ name: 'look', description: 'Looks.', input: { type: 'object' }, execute: () => 'seen' });
  const { result, types } = await interrupted(
    {
      script: [call('look', {}), call('look', { n: 2 }), say('Done.')],
      tools: [look],
      policy: policyOf(() => 'ask'),
      approvals: {
        decide: async (_, signal) => {
          if (++asked > 1) return { decision: 'approved', reason: null, rule: null, by: 'test' };
          reached.resolve();
          return await untilAborted(signal);
        },
      },
    },
    reached.promise,
  );
  expect(result).toMatchObject({ status: 'completed', text: 'Done.' });
  expect(types.filter((type) => type === 'approval_requested')).toHaveLength(2);
  expect(types.filter((type) => type === 'approval_decided')).toHaveLength(1);
});

it('can be cancelled afterwards', async () => {
  const stops = [signalOf(), signalOf()];
  let requests = 0;
  const hanging = wait((signal) => {
    stops[requests++]!.resolve();
    return untilAborted(signal);
  });
  const parts = testAgent({ script: () => [hanging] });
  const run = parts.agent.run('Do it');
  const carried = carryOut(parts, run);
  await stops[0]!.promise;
  await run.send('Something else.', { interrupt: true });
  await stops[1]!.promise;
  await run.cancel('enough');
  expect((await carried).result).toMatchObject({ status: 'cancelled', reason: 'enough' });
});
