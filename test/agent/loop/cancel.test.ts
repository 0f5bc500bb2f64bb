import { expect, it } from 'vitest';
import { call, fail, say, wait } from '../../../src/agent/models/script.ts';
import { memoryClock } from '../../../src/agent/testkit/memory-clock.ts';
import { tool } from '../../../src/tools/index.ts';
import { carryOut, dataOf, policyOf, signalOf, type TestOptions, testAgent } from '../../support/agent.ts';

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

/** Starts a run, waits until it is where it is to be cancelled, cancels it. */
async function cancelled(options: TestOptions, reached: Promise<unknown>) {
  const parts = testAgent(options);
  const run = parts.agent.run('Do it');
  const carried = carryOut(parts, run);
  await reached;
  await run.cancel('enough');
  const { result, events, types } = await carried;
  expect(result).toMatchObject({ status: 'cancelled', reason: 'enough' });
  expect(types.at(-1)).toBe('run_cancelled');
  const requested = dataOf(events, 'llm_response_completed').flatMap(({ parts }) =>
    parts.filter(({ type }) => type === 'tool_call'),
  );
  expect(dataOf(events, 'tool_call_finished')).toHaveLength(requested.length);
  return { events, types, model: parts.model };
}

it('before anything has happened', async () => {
  const { model } = await cancelled({ script: [say('Never said.')] }, Promise.resolve());
  expect(model.requests.length).toBeLessThanOrEqual(1);
});

it('while the model answers', async () => {
  const reached = signalOf();
  await cancelled(
    {
      script: [
        [
          say('Let me'),
          wait((signal) => {
            reached.resolve();
            return untilAborted(signal);
          }),
        ],
      ],
    },
    reached.promise,
  );
});

it('while the model does not answer, and ignores the signal', async () => {
  const reached = signalOf();
  const late = signalOf();
  const done = cancelled(
    {
      script: [
        [
          wait(() => {
            reached.resolve();
            return late.promise;
          }),
          say('Too late.'),
        ],
      ],
    },
    reached.promise,
  );
  await reached.promise;
  late.resolve();
  const { types } = await done;
  expect(types).not.toContain('llm_response_completed');
});

it('while a tool runs; the calls after it are answered too', async () => {
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
  const { events } = await cancelled(
    { script: [[call('slow', {}), call('slow', {})]], tools: [slow] },
    reached.promise,
  );
  expect(dataOf(events, 'tool_call_started')).toHaveLength(1);
  expect(dataOf(events, 'tool_call_finished').map(({ result }) => result.error_kind)).toEqual([
    'cancelled',
    'cancelled',
  ]);
});

it('while an approval is awaited', async () => {
  const reached = signalOf();
  const act = tool({ name: 'act', description: 'Acts.', input: { type: 'object' }, execute: () => 'done' });
  const { types } = await cancelled(
    {
      script: [call('act', {})],
      tools: [act],
      policy: policyOf(() => 'ask'),
      approvals: {
        decide: async (_, signal) => {
          reached.resolve();
          return await untilAborted(signal);
        },
      },
    },
    reached.promise,
  );
  expect(types).not.toContain('tool_call_started');
});

it('while a hook runs', async () => {
  const reached = signalOf();
  const act = tool({ name: 'act', description: 'Acts.', input: { type: 'object' }, execute: () => 'done' });
  const { types } = await cancelled(
    {
      script: [call('act', {})],
      tools: [act],
      hooks: {
        beforeTool: [
          () => {
            reached.resolve();
            return new Promise(() => {});
          },
        ],
      },
    },
    reached.promise,
  );
  expect(types).not.toContain('tool_call_started');
});

it('while a retry is awaited', async () => {
  const clock = memoryClock();
  await cancelled({ script: () => fail({ kind: 'overloaded', retryable: true }), clock }, clock.untilSleeping());
});

it('twice is once, and after the end nothing', async () => {
  const parts = testAgent({ script: [say('Done.')] });
  const run = parts.agent.run('Do it');
  const { result } = await carryOut(parts, run);
  await run.cancel();
  await run.cancel();
  expect(await run.result).toEqual(result);
  expect(result.status).toBe('completed');
});
