import { expect, it } from 'vitest';
import * as z from 'zod';
import { Agent } from '../../../src/agent/agent.ts';
import { call, say } from '../../../src/agent/models/script.ts';
import { scriptedModel } from '../../../src/agent/models/scripted-model.ts';
import { recordedTools } from '../../../src/agent/testkit/recorded-tools.ts';
import { type Approver, createPolicy } from '../../../src/approvals/index.ts';
import type { AgentEvent, PolicyRule, ToolApprovalRequest } from '../../../src/protocol/index.ts';
import { tool } from '../../../src/tools/index.ts';
import { carryOut, dataOf, policyOf, testAgent } from '../../support/agent.ts';
import { temporaryFolder } from '../../support/tacho.ts';

const SECRET = 'hunter2-hunter2';
const secrets = [{ name: 'TOKEN', value: SECRET }];

it('an error that ends a run does not quote a secret', async () => {
  const agent = new Agent({
    workspaceRoot: temporaryFolder(),
    model: scriptedModel([say('{"a":1}')]),
    tools: [],
    sandbox: { profile: 'none' },
    secrets,
    output: z.object({ a: z.number() }).refine(() => {
      throw new Error(`cannot check with ${SECRET}`);
    }),
  });
  const error: Error = await agent.run('Do it').result.then(
    () => expect.unreachable(),
    (reason) => reason,
  );
  expect(error.message).toBe('cannot check with [secret TOKEN]');
  expect(`${error.stack} ${error.cause}`).not.toContain(SECRET);
});

it('an approver sees no secret, and a rule that has one counts as it really is', async () => {
  const rules: (readonly PolicyRule[])[] = [];
  const requests: ToolApprovalRequest[] = [];
  const approvals: Approver = {
    decide: async (request) => {
      requests.push(request);
      return { decision: 'approved_with_rule', reason: null, rule: request.suggested_rule, by: 'test' };
    },
  };
  const rule: PolicyRule = { decision: 'allow', command: ['login', SECRET] };
  const parts = testAgent({
    script: [call('act', { key: SECRET }), call('act', { key: SECRET }), say('Done.')],
    tools: recordedTools({ act: 'done' }, { act: { hasEffects: true } }),
    policy: {
      ...policyOf(() => 'ask'),
      evaluate: ({ added = [] }) => {
        rules.push(added);
        return { decision: added.length > 0 ? 'allow' : 'ask', reason: 'a test', rule: null, suggested_rule: rule };
      },
    },
    approvals,
    secrets,
  });
  const { events } = await carryOut(parts);
  expect(JSON.stringify([requests, events])).not.toContain(SECRET);
  expect(requests).toHaveLength(1);
  expect(requests[0]!.suggested_rule).toEqual({ decision: 'allow', command: ['login', '[secret TOKEN]'] });
  expect(rules.at(-1)).toEqual([rule]);
  expect(dataOf(events, 'approval_decided')[0]!.decision).toBe('approved_with_rule');
});

it('a command line with a secret is shown without it', async () => {
  const workspaceRoot = temporaryFolder();
  const run = tool<{ line: string }>({
    name: 'run',
    description: 'Runs a line.',
    input: { type: 'object' },
    actions: ({ line }) => [{ kind: 'shell', line, cwd: workspaceRoot }],
    execute: () => 'done',
  });
  const parts = testAgent({
    workspaceRoot,
    script: [call('run', { line: `curl -u user:${SECRET} example.org` })],
    tools: [run],
    policy: await createPolicy({ workspaceRoot }),
    secrets,
  });
  const { result } = await carryOut(parts);
  expect(result).toMatchObject({ status: 'failed', reason: 'config_error' });
  expect(JSON.stringify(result)).not.toContain(SECRET);
  expect(JSON.stringify(result)).toContain('curl -u user:[secret TOKEN] example.org needs an approval');
});

it('replays a run without being given its secrets, and shows none of them in a difference', async () => {
  const [value, other] = ['sesame-4711-open', 'hunter-2-hunter'];
  const parts = testAgent({
    script: [
      [say(`The keys are ${value} and ${other}${other}.`), call('look', { [value]: `${value}/${other}` })],
      say(`Base64: ${Buffer.from(value).toString('base64')}`, { pieces: 3 }),
    ],
    tools: recordedTools({ look: () => `found ${value}, then ${value}!` }),
    secrets: [
      { name: 'TOKEN', value },
      { name: 'OTHER', value: other },
    ],
  });
  const { events, result } = await carryOut(parts, `Use ${value}.`);
  const without = new Agent({ ...parts.options, secrets: [], model: scriptedModel([]) });
  expect(await without.replay(result.run_id)).toEqual({ identical: true, events: events.length });

  const { seq, data } = events.find(({ type }) => type === 'tool_call_finished') as AgentEvent<'tool_call_finished'>;
  const changed = new Map([[seq, { ...data.result, ok: false, stdout: `other ${value}` }]]);
  const different = await without.replay(result.run_id, { results: changed });
  expect(different.identical).toBe(false);
  expect(JSON.stringify(different)).not.toContain(value);
});
