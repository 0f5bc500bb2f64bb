import { expect, it } from 'vitest';
import { say } from '../../../src/agent/models/script.ts';
import type { AgentEvent } from '../../../src/protocol/index.ts';
import { carryOut, testAgent } from '../../support/agent.ts';

it('a hook on events that throws changes nothing, and is called again', async () => {
  let calls = 0;
  const onEvent = () => {
    calls++;
    throw new Error('not today');
  };
  const { result, events } = await carryOut(testAgent({ script: [say('Done.')], onEvent }));
  expect(result.status).toBe('completed');
  expect(calls).toBeGreaterThan(1);
  expect(events.at(-1)!.type).toBe('run_completed');
});

it('a hook on events that hangs is given up, and the run ends', async () => {
  const other: AgentEvent[] = [];
  const { result, events } = await carryOut(
    testAgent({
      script: [say('Done.', { pieces: 1 })],
      onEvent: () => new Promise(() => {}),
      logHooks: [{ name: 'other', onEvents: (batch) => void other.push(...batch) }],
    }),
  );
  expect(result.status).toBe('completed');
  expect(other).toEqual(events);
});
