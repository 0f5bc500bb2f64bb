import { expect, it } from 'vitest';
import { call, say } from '../../../src/agent/models/script.ts';
import { tool } from '../../../src/tools/index.ts';
import { carryOut, signalOf, testAgent } from '../../support/agent.ts';

function agentThatStops() {
  const reached = signalOf();
  const go = signalOf();
  const look = tool({
    name: 'look',
    description: 'Looks.',
    input: { type: 'object' },
    execute: async () => {
      reached.resolve();
      await go.promise;
      return 'seen';
    },
  });
  const parts = testAgent({ script: [call('look', {}), say('One.'), say('Two.')], tools: [look] });
  return { parts, reached: reached.promise, go };
}

it('puts a message into the next step', async () => {
  const { parts, reached, go } = agentThatStops();
  const run = parts.agent.run('Do it');
  const carried = carryOut(parts, run);
  await reached;
  await run.send('Be quick.');
  go.resolve();
  const { result } = await carried;
  expect(result).toMatchObject({ status: 'completed', text: 'One.' });
  const { prompt } = parts.model.requests[1]!;
  expect(prompt.slice(-2).map(({ role }) => role)).toEqual(['tool', 'user']);
  expect(JSON.stringify(prompt.at(-1))).toContain('Be quick.');
});

it('holds a message back until the model is done', async () => {
  const { parts, reached, go } = agentThatStops();
  const run = parts.agent.run('Do it');
  const carried = carryOut(parts, run);
  await reached;
  await run.send('And then that.', { when: 'after' });
  go.resolve();
  const { result } = await carried;
  expect(JSON.stringify(parts.model.requests[1]!.prompt)).not.toContain('And then that.');
  expect(JSON.stringify(parts.model.requests[2]!.prompt.at(-1))).toContain('And then that.');
  expect(result).toMatchObject({ status: 'completed', text: 'Two.' });
});

it('is refused after the end', async () => {
  const parts = testAgent({ script: [say('Done.')] });
  const run = parts.agent.run('Do it');
  await carryOut(parts, run);
  await expect(run.send('More')).rejects.toMatchObject({ code: 'RUN_ENDED' });
});
