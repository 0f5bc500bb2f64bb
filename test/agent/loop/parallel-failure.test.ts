import { expect, it } from 'vitest';
import { call, say } from '../../../src/agent/models/script.ts';
import { tool } from '../../../src/tools/index.ts';
import { signalOf, testAgent } from '../../support/agent.ts';

it('a call that cannot be recorded does not leave the one beside it running', async () => {
  let isOver = false;
  const slow = signalOf();
  const odd = tool({
    name: 'odd',
    description: 'Returns what cannot be written as JSON.',
    input: { type: 'object' },
    concurrency: 'shared',
    execute: () => {
      setTimeout(slow.resolve, 50);
      return {
        ok: true,
        data: null,
        stderr: '',
        stdout: '',
        exit_code: 0,
        error_kind: null,
        retryable: BigInt(1) as never,
      };
    },
  });
  const other = tool({
    name: 'other',
    description: 'Takes a while.',
    input: { type: 'object' },
    concurrency: 'shared',
    execute: async () => {
      await slow.promise;
      isOver = true;
      return 'done';
    },
  });
  const { agent } = testAgent({ script: [[call('odd', {}), call('other', {})], say('Done.')], tools: [odd, other] });
  await expect(agent.run('Do it').result).rejects.toThrow();
  expect(isOver).toBe(true);
});
