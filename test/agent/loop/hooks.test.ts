import { expect, it } from 'vitest';
import { call, say } from '../../../src/agent/models/script.ts';
import type { ToolHooks } from '../../../src/agent/run/hooks.ts';
import { recordedTools } from '../../../src/agent/testkit/recorded-tools.ts';
import { carryOut, dataOf, policyOf, testAgent } from '../../support/agent.ts';

function agentWith(hooks: ToolHooks) {
  const tools = recordedTools({ act: (input) => `did ${JSON.stringify(input)}` }, { act: { hasEffects: true } });
  return { tools, ...testAgent({ script: [call('act', { n: 1 }), say('Done.')], tools, hooks }) };
}

it('lets a call pass that no hook objects to, without an event', async () => {
  const { tools, ...parts } = agentWith({ beforeTool: [() => undefined], afterTool: [async () => {}] });
  const { types } = await carryOut(parts);
  expect(types).not.toContain('hook_decided');
  expect(tools.calls).toEqual([{ name: 'act', input: { n: 1 } }]);
});

it('runs a call with the arguments that a hook has changed, and judges those', async () => {
  const judged: unknown[] = [];
  const tools = recordedTools(
    { act: 'ok' },
    { act: { hasEffects: true, actions: (input) => [{ kind: 'write', path: `/w/${(input as { n: number }).n}` }] } },
  );
  const parts = testAgent({
    script: [call('act', { n: 1 }), say('Done.')],
    tools,
    policy: policyOf(({ actions }) => {
      judged.push(actions[0]);
      return 'allow';
    }),
    hooks: { beforeTool: [{ name: 'double', hook: () => ({ change: { n: 2 } }) }] },
  });
  const { events } = await carryOut(parts);
  expect(tools.calls).toEqual([{ name: 'act', input: { n: 2 } }]);
  expect(judged).toContainEqual({ kind: 'write', path: '/w/2' });
  expect(dataOf(events, 'hook_decided')).toMatchObject([
    { hook: 'double', phase: 'before', outcome: 'changed', value: { n: 2 } },
  ]);
  expect(dataOf(events, 'tool_call_requested')[0]!.arguments).toEqual({ n: 2 });
});

it.each<[string, ToolHooks, string, string]>([
  ['refuses', { beforeTool: [() => ({ refuse: 'not today' })] }, 'hook_refused', 'not today'],
  [
    'throws',
    {
      beforeTool: [
        () => {
          throw new Error('broken');
        },
      ],
    },
    'hook_failed',
    'broken',
  ],
  ['hangs', { beforeTool: [() => new Promise(() => {})], timeoutMs: 20 }, 'hook_failed', 'longer than 20 ms'],
  ['returns nonsense', { beforeTool: [() => 'yes' as never] }, 'hook_failed', 'neither nothing'],
])('does not run a call whose hook %s', async (_, hooks, kind, reason) => {
  const { tools, ...parts } = agentWith(hooks);
  const { events, result } = await carryOut(parts);
  expect(tools.calls).toEqual([]);
  const [finished] = dataOf(events, 'tool_call_finished');
  expect(finished!.result).toMatchObject({ ok: false, error_kind: kind, stderr: expect.stringContaining(reason) });
  expect(result.status).toBe('completed');
});

it('gives the model the result that a hook has changed', async () => {
  const { tools: _, ...parts } = agentWith({
    afterTool: [({ result }) => ({ change: { ...result, stdout: 'censored' } })],
  });
  const { events } = await carryOut(parts);
  expect(dataOf(events, 'tool_call_finished')[0]!.result.stdout).toBe('censored');
  expect(JSON.stringify(events)).not.toContain('did {');
});

it('withholds a result whose hook fails', async () => {
  const { tools, ...parts } = agentWith({ afterTool: [() => Promise.reject(new Error('scanner down'))] });
  const { events } = await carryOut(parts);
  expect(tools.calls).toHaveLength(1);
  expect(dataOf(events, 'tool_call_finished')[0]!.result).toMatchObject({ ok: false, error_kind: 'hook_failed' });
});

it('asks hooks one after the other and stops at a refusal', async () => {
  const seen: unknown[] = [];
  const { tools: _, ...parts } = agentWith({
    beforeTool: [
      ({ input }) => {
        seen.push(input);
        return { change: { n: 5 } };
      },
      ({ input }) => {
        seen.push(input);
        return { refuse: 'no' };
      },
      () => {
        seen.push('third');
        return undefined;
      },
    ],
  });
  const { events } = await carryOut(parts);
  expect(seen).toEqual([{ n: 1 }, { n: 5 }]);
  expect(dataOf(events, 'hook_decided').map(({ outcome }) => outcome)).toEqual(['changed', 'refused']);
});
