import { describe, expect, it } from 'vitest';
import { call, fail, finish, say, wait } from '../../../src/agent/models/script.ts';
import { memoryClock } from '../../../src/agent/testkit/memory-clock.ts';
import { recordedTools } from '../../../src/agent/testkit/recorded-tools.ts';
import { tool } from '../../../src/tools/index.ts';
import { carryOut, dataOf, policyOf, testAgent } from '../../support/agent.ts';

const tools = recordedTools({ look: (_, n) => `result ${n}` });
const forever = () => [
  call('look', { n: Math.random() }),
  finish('tool_calls', { input_tokens: 600, output_tokens: 400, total_tokens: 1000 }),
];

describe('budgets', () => {
  it('ends a run after its steps', async () => {
    const { result, events } = await carryOut(testAgent({ script: forever, tools, budgets: { max_steps: 3 } }));
    expect(result).toMatchObject({ status: 'failed', reason: 'budget_exhausted', steps: 3 });
    expect(dataOf(events, 'budget_exhausted')).toEqual([{ budget: 'steps', scope: 'run', limit: 3, used: 3 }]);
  });

  it('ends a run after its tokens', async () => {
    const { result, events } = await carryOut(testAgent({ script: forever, tools, budgets: { max_tokens: 2500 } }));
    expect(result).toMatchObject({ status: 'failed', steps: 3, usage: { total_tokens: 3000 } });
    expect(dataOf(events, 'budget_exhausted')).toMatchObject([{ budget: 'tokens', used: 3000 }]);
  });

  it('ends a run after its cost, by the prices of the settings', async () => {
    const prices = { 'scripted:model': { input: 1000, cached_input: 0, cache_write: 0, output: 2000 } };
    const { result, events } = await carryOut(
      testAgent({ script: forever, tools, budgets: { max_cost_usd: 2 }, settings: { prices } }),
    );
    expect(dataOf(events, 'llm_response_completed')[0]!.cost_usd).toBeCloseTo(1.4);
    expect(result).toMatchObject({ status: 'failed', steps: 2 });
    expect(dataOf(events, 'budget_exhausted')).toMatchObject([{ budget: 'cost', limit: 2 }]);
  });

  it('ends a run when its time is up, in the middle of a response', async () => {
    const clock = memoryClock();
    const stuck = (signal: AbortSignal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const parts = testAgent({ script: [[say('Let me'), wait(stuck)]], clock, budgets: { max_wall_ms: 5000 } });
    const run = parts.agent.run('Do it');
    await clock.untilSleeping();
    void clock.advance(5000);
    const { result, events } = await carryOut(parts, run);
    expect(result).toMatchObject({ status: 'failed', reason: 'budget_exhausted' });
    expect(dataOf(events, 'budget_exhausted')).toEqual([
      { budget: 'wall_time', scope: 'run', limit: 5000, used: 5000 },
    ]);
  });

  it('counts what children use, and stops them when the tree is exhausted', async () => {
    const child = testAgent({ script: forever, tools });
    const spawn = tool({
      name: 'spawn',
      description: 'Runs a child.',
      input: { type: 'object' },
      execute: async () => {
        const result = await child.agent.run('Help', { parent: { run, callId: 'c' } }).result;
        return JSON.stringify(result);
      },
    });
    const parts = testAgent({
      script: [call('spawn', {}), say('Done.')],
      tools: [spawn],
      budgets: { max_tokens: 3500 },
    });
    const run = parts.agent.run('Do it');
    const { events, result } = await carryOut(parts, run);
    const [finished] = dataOf(events, 'tool_call_finished');
    expect(JSON.parse(finished!.result.stdout)).toMatchObject({
      status: 'failed',
      reason: 'budget_exhausted',
      steps: 4,
    });
    expect(dataOf(events, 'child_charged').at(-1)).toMatchObject({ steps: 4, usage: { total_tokens: 4000 } });
    expect(result).toMatchObject({ status: 'failed', reason: 'budget_exhausted' });
  });
});

describe('retries', () => {
  const overloaded = fail({ kind: 'overloaded', status: 529, retryable: true });

  it('waits longer each time, with jitter, then gives up', async () => {
    const clock = memoryClock({ auto: true });
    const { result, events } = await carryOut(
      testAgent({
        script: () => overloaded,
        clock,
        random: () => 0.5,
        settings: { max_retries: 3, retry_base_ms: 1000, retry_max_ms: 3000 },
      }),
    );
    expect(dataOf(events, 'llm_request_failed').map(({ retry }) => retry?.delay_ms ?? null)).toEqual([
      750,
      1500,
      2250,
      null,
    ]);
    expect(result).toMatchObject({ status: 'failed', reason: 'model_error', message: 'scripted failure: overloaded' });
  });

  it('waits as long as the server says', async () => {
    const limited = fail({ kind: 'rate_limited', status: 429, retryable: true, retry_after_ms: 7000 });
    const { result, events } = await carryOut(
      testAgent({ script: [[say('Half an ans'), limited], say('Done.')], clock: memoryClock({ auto: true }) }),
    );
    expect(dataOf(events, 'llm_request_failed')[0]!.retry!.delay_ms).toBe(7000);
    expect(result).toMatchObject({ status: 'completed', text: 'Done.', steps: 1 });
  });

  it('does not repeat a request that was rejected', async () => {
    const { result, types } = await carryOut(testAgent({ script: [fail({ kind: 'auth', status: 401 })] }));
    expect(types.filter((type) => type === 'llm_request_started')).toHaveLength(1);
    expect(result).toMatchObject({ status: 'failed', reason: 'model_error' });
  });
});

describe('guards', () => {
  it('ends a run that asks again for what was denied', async () => {
    const { result, events } = await carryOut(
      testAgent({ script: () => call('look', { same: 1 }), tools, policy: policyOf(() => 'deny') }),
    );
    expect(result).toMatchObject({ status: 'failed', reason: 'repeated_denial', steps: 2 });
    expect(dataOf(events, 'guard_tripped')).toMatchObject([{ guard: 'repeated_denial' }]);
  });

  it('lets a run go on that asks for something else after a denial', async () => {
    const script = [call('look', { n: 1 }), call('look', { n: 2 }), call('look', { n: 3 }), say('Done.')];
    const { result } = await carryOut(testAgent({ script, tools, policy: policyOf(() => 'deny') }));
    expect(result.status).toBe('completed');
  });

  it('ends a run whose steps repeat the same calls with the same results', async () => {
    const { result } = await carryOut(
      testAgent({
        script: () => call('look', { same: 1 }),
        tools: recordedTools({ look: 'nothing new' }),
        settings: { no_progress_steps: 4 },
      }),
    );
    expect(result).toMatchObject({ status: 'failed', reason: 'no_progress', steps: 5 });
  });

  it('does not take a call with new results for a lack of progress', async () => {
    const script = [...Array.from({ length: 20 }, () => call('look', { same: 1 })), say('Done.')];
    const { result } = await carryOut(
      testAgent({ script, tools: recordedTools({ look: (_, n) => `line ${n}` }), settings: { no_progress_steps: 4 } }),
    );
    expect(result.status).toBe('completed');
  });
});
