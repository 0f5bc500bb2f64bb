import { expect, it } from 'vitest';
import { call, say } from '../../../src/agent/models/script.ts';
import { builtinTools } from '../../../src/tools/builtin/index.ts';
import { carryOut, dataOf, policyOf, testAgent } from '../../support/agent.ts';

const denyCommands = policyOf(({ actions }) => (actions.some(({ kind }) => kind === 'shell') ? 'deny' : 'allow'));

it('refuses a forbidden call while its arguments still arrive, and keeps the calls before it', async () => {
  const { model, ...parts } = testAgent({
    script: [
      [
        call('list_dir', { path: '.' }),
        call('shell_command', { command: 'rm -rf /', filler: 'x'.repeat(10_000) }, { pieces: 16 }),
      ],
      say('I see.'),
    ],
    tools: builtinTools({ names: ['list_dir', 'shell_command'] }),
    policy: denyCommands,
  });
  const { events, result } = await carryOut(parts);
  const [response] = dataOf(events, 'llm_response_completed');
  expect(response!.finish_reason).toBe('refused_early');
  const deltas = dataOf(events, 'llm_response_delta').filter(({ part, step }) => step === 1 && part === 1);
  expect(deltas.length).toBeLessThan(10);
  const results = new Map(
    dataOf(events, 'tool_call_finished').map(({ call_id, result }) => [call_id, result.error_kind]),
  );
  expect(results).toEqual(
    new Map([
      ['call_1_1', null],
      ['call_1_2', 'denied'],
    ]),
  );
  expect(JSON.stringify(model.requests[1]!.prompt.at(-2))).toContain('rm -rf /');
  expect(result.status).toBe('completed');
});

it('does not judge a command before all of it has arrived', async () => {
  const seen: string[] = [];
  const policy = policyOf(({ actions }) => {
    seen.push(...actions.flatMap((action) => (action.kind === 'shell' ? action.line : [])));
    return 'deny';
  });
  const parts = testAgent({
    script: [call('shell_command', { command: 'echo one two three four five' }, { pieces: 3 }), say('Done.')],
    tools: builtinTools({ names: ['shell_command'] }),
    policy,
  });
  await carryOut(parts);
  expect(new Set(seen)).toEqual(new Set(['echo one two three four five']));
});
