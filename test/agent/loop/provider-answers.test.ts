import { describe, expect, it } from 'vitest';
import { call, fail, say } from '../../../src/agent/models/script.ts';
import { memoryClock } from '../../../src/agent/testkit/memory-clock.ts';
import { recordedTools } from '../../../src/agent/testkit/recorded-tools.ts';
import { carryOut, dataOf, testAgent } from '../../support/agent.ts';

describe('a provider that asks to wait', () => {
  const limited = (retry_after_ms: number) =>
    fail({ kind: 'rate_limited', retryable: true, retry_after_ms, message: 'slow down' });

  it('is waited for as long as it says, up to the limit', async () => {
    const clock = memoryClock();
    const parts = testAgent({ script: [limited(600_000), say('Done.')], clock });
    const carried = carryOut(parts);
    await clock.untilSleeping();
    clock.advance(600_000);
    const { result, events } = await carried;
    expect(result.status).toBe('completed');
    expect(dataOf(events, 'llm_request_failed')[0]!.retry).toMatchObject({ delay_ms: 600_000 });
  });

  it('ends the run if it asks for more', async () => {
    const { result, events } = await carryOut(testAgent({ script: [limited(3 * 3_600_000)] }));
    expect(result).toMatchObject({
      status: 'failed',
      reason: 'model_error',
      message: 'slow down (the provider asks to wait 10800 s, longer than retry_after_max_ms allows: 600 s)',
    });
    expect(dataOf(events, 'llm_request_failed')[0]!.retry).toBe(null);
  });

  it('may be given another limit', async () => {
    const { result } = await carryOut(testAgent({ script: [limited(5000)], settings: { retry_after_max_ms: 1000 } }));
    expect(result).toMatchObject({ status: 'failed', reason: 'model_error' });
  });
});

describe('arguments that are not an object', () => {
  it.each(['5', '"text"', 'null', '[1,2]', 'true', '{"half":', ''])('%s: sent back as an object', async (text) => {
    const tools = recordedTools({ act: 'done' }, { act: { input: { type: 'object', required: ['n'] } } });
    const parts = testAgent({ script: [call('act', text), say('Done.')], tools });
    const { events } = await carryOut(parts);
    expect(dataOf(events, 'tool_call_finished')[0]!.result.error_kind).toBe('invalid_arguments');
    expect(tools.calls).toEqual([]);
    const inputs = parts.model.requests
      .at(-1)!
      .prompt.flatMap(({ role, content }) => (role === 'assistant' && typeof content !== 'string' ? content : []))
      .flatMap((part) => (part.type === 'tool-call' ? [part.input] : []));
    expect(inputs).toEqual([expect.any(Object)]);
    expect(Array.isArray(inputs[0])).toBe(false);
  });
});
