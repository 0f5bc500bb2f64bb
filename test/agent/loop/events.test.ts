import { expect, it } from 'vitest';
import { call, say } from '../../../src/agent/models/script.ts';
import { recordedTools } from '../../../src/agent/testkit/recorded-tools.ts';
import { tool } from '../../../src/tools/index.ts';
import { carryOut, dataOf, policyOf, signalOf, testAgent } from '../../support/agent.ts';

it('logs every transition of a run, in order', async () => {
  const { types, result } = await carryOut(
    testAgent({
      script: [[say('Looking.'), call('look', {})], say('Done.')],
      tools: recordedTools({ look: 'a tree' }),
    }),
  );
  expect(types).toEqual([
    'run_started',
    'user_message',
    'prompt_compiled',
    'llm_request_started',
    'llm_response_delta',
    'llm_response_delta',
    'llm_response_completed',
    'tool_call_requested',
    'tool_call_started',
    'tool_call_finished',
    'prompt_compiled',
    'llm_request_started',
    'llm_response_delta',
    'llm_response_completed',
    'run_completed',
  ]);
  expect(result).toMatchObject({ status: 'completed', output: 'Done.', text: 'Done.', steps: 2 });
});

it('asks for an approval between request and start of a call', async () => {
  const { types } = await carryOut(
    testAgent({
      script: [call('act', {}), say('Done.')],
      tools: recordedTools({ act: 'ok' }, { act: { hasEffects: true } }),
      policy: policyOf(() => 'ask'),
      approvals: { decide: async () => ({ decision: 'approved', reason: null, rule: null, by: 'test' }) },
    }),
  );
  expect(types.slice(6, 11)).toEqual([
    'tool_call_requested',
    'approval_requested',
    'approval_decided',
    'tool_call_started',
    'tool_call_finished',
  ]);
});

it('runs shared calls at the same time and returns results in the order of the calls', async () => {
  const both = signalOf();
  const order: string[] = [];
  let running = 0;
  const shared = (name: string, after: Promise<void>) =>
    tool({
      name,
      description: name,
      input: { type: 'object' },
      concurrency: 'shared',
      hasEffects: false,
      execute: async () => {
        if (++running === 2) both.resolve();
        await after;
        order.push(name);
        return `result of ${name}`;
      },
    });
  const second = signalOf();
  const slow = shared('slow', second.promise);
  const quick = shared(
    'quick',
    both.promise.then(() => void setImmediate(second.resolve)),
  );
  const { model, ...rest } = testAgent({
    script: [[call('slow', {}), call('quick', {})], say('Done.')],
    tools: [slow, quick],
  });
  const { events } = await carryOut(rest);
  expect(order).toEqual(['quick', 'slow']);
  expect(dataOf(events, 'tool_call_finished').map(({ result }) => result.stdout)).toEqual([
    'result of quick',
    'result of slow',
  ]);
  expect(model.requests[1]!.prompt.at(-1)!.content).toMatchObject([
    { toolName: 'slow', output: { value: 'result of slow' } },
    { toolName: 'quick', output: { value: 'result of quick' } },
  ]);
});

it('runs exclusive calls one after the other', async () => {
  let running = 0;
  const exclusive = (name: string) =>
    tool({
      name,
      description: name,
      input: { type: 'object' },
      concurrency: 'exclusive',
      execute: async () => {
        expect(++running).toBe(1);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
        return name;
      },
    });
  const { result } = await carryOut(
    testAgent({
      script: [[call('one', {}), call('two', {}), call('one', {})], say('Done.')],
      tools: [exclusive('one'), exclusive('two')],
    }),
  );
  expect(result.status).toBe('completed');
});

it('answers unknown tools, wrong arguments and arguments that are not JSON without running anything', async () => {
  const tools = recordedTools(
    { look: 'ok' },
    { look: { input: { type: 'object', required: ['path'], properties: { path: { type: 'string' } } } } },
  );
  const { events } = await carryOut(
    testAgent({ script: [[call('lock', {}), call('look', {}), call('look', '{"path": ')], say('Done.')], tools }),
  );
  expect(dataOf(events, 'tool_call_finished').map(({ result }) => result.error_kind)).toEqual([
    'unknown_tool',
    'invalid_arguments',
    'invalid_arguments',
  ]);
  expect(tools.calls).toEqual([]);
});

it('sends the data of a provider back with the parts it belongs to, and keeps it out of the log', async () => {
  const meta = { anthropic: { signature: 'sig-4711' } };
  const { model, ...rest } = testAgent({
    script: [[{ type: 'reasoning', text: 'Hm.', meta }, call('look', {})], say('Done.')],
    tools: recordedTools({ look: 'ok' }),
  });
  const { events } = await carryOut(rest);
  expect(model.requests[1]!.prompt.at(-2)!.content).toMatchObject([
    { type: 'reasoning', text: 'Hm.', providerOptions: meta },
    { type: 'tool-call' },
  ]);
  expect(JSON.stringify(events)).not.toContain('sig-4711');
});

it('tells calls with the same id apart', async () => {
  const { events } = await carryOut(
    testAgent({
      script: [[call('look', { a: 1 }, { id: 'x' }), call('look', { a: 2 }, { id: 'x' })], say('Done.')],
      tools: recordedTools({ look: (input) => JSON.stringify(input) }),
    }),
  );
  const finished = dataOf(events, 'tool_call_finished');
  expect(new Set(finished.map(({ call_id }) => call_id)).size).toBe(2);
  expect(finished.map(({ result }) => result.stdout)).toEqual(['{"a":1}', '{"a":2}']);
});
