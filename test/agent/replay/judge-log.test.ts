import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { call, say } from '../../../src/agent/models/script.ts';
import { judgeLog } from '../../../src/agent/replay/judge-log.ts';
import { recordedTools } from '../../../src/agent/testkit/recorded-tools.ts';
import { openRecordedRun } from '../../../src/agent/wal/index.ts';
import { createPolicy, type PolicyOptions } from '../../../src/approvals/index.ts';
import type { PolicyRule } from '../../../src/protocol/index.ts';
import { builtinTools } from '../../../src/tools/builtin/index.ts';
import { createRegistry } from '../../../src/tools/index.ts';
import { carryOut, type TestOptions, testAgent } from '../../support/agent.ts';
import { temporaryFolder } from '../../support/tacho.ts';

const ALL_ALLOWED = { write: 'allow', command: 'allow', tool: 'allow' } as const;
const registry = createRegistry(builtinTools());

/** A run under one policy, whose calls are judged by others. */
async function carried(script: TestOptions['script'], options: Partial<TestOptions> = {}) {
  const workspaceRoot = fs.realpathSync(temporaryFolder());
  const policy = await createPolicy({ workspaceRoot, defaults: ALL_ALLOWED });
  const tools = builtinTools();
  const { result } = await carryOut(testAgent({ script, workspaceRoot, policy, tools, ...options }));
  return async (other: Partial<PolicyOptions>) => {
    const recorded = openRecordedRun(result.wal_locator);
    try {
      const now = await createPolicy({ workspaceRoot, defaults: ALL_ALLOWED, ...other });
      return await judgeLog(recorded.read(), recorded.vault, { policy: now, registry });
    } finally {
      recorded.close();
    }
  };
}

const decisions = ({ calls }: Awaited<ReturnType<typeof judgeLog>>) =>
  calls.map(({ tool, was, now }) => [tool, was.decision, now.decision]);

describe('judging a log again', () => {
  it('gives the same verdicts by the same policy', async () => {
    const judge = await carried([call('file_write', { path: 'a.txt', content: 'a' }), say('Done.')]);
    expect(decisions(await judge({}))).toEqual([['file_write', 'allow', 'allow']]);
  });

  it('judges the arguments that the model gave, also those that the log does not have', async () => {
    const secret = 'sesame-4711-open';
    const judge = await carried(
      [
        call('file_write', { path: `${secret}/a.txt`, content: 'a' }),
        call('file_write', { path: 'b.txt', content: 'b' }),
        say('Done.'),
      ],
      { secrets: [{ name: 'TOKEN', value: secret }] },
    );
    const rules: PolicyRule[] = [{ decision: 'deny', path: `${secret}/**` }];
    const judged = await judge({ rules });
    expect(decisions(judged)).toEqual([
      ['file_write', 'allow', 'deny'],
      ['file_write', 'allow', 'allow'],
    ]);
    expect(judged.calls[0]!.now.rule).toBe(0);
    expect(JSON.stringify(judged.calls.map(({ arguments: given }) => given))).not.toContain(secret);
  });

  it('counts rules that people added to the run, from then on', async () => {
    const line = 'touch a.txt';
    const script = [call('shell_command', { command: line }), call('shell_command', { command: line }), say('Done.')];
    const suggested: PolicyRule = { decision: 'allow', command: ['touch'] };
    const policy = {
      digest: 'asks',
      rules: [],
      evaluate: () => ({ decision: 'ask' as const, reason: 'asked', rule: null, suggested_rule: suggested }),
    };
    const judge = await carried(script, {
      policy,
      approvals: { decide: async () => ({ decision: 'approved_with_rule', reason: null, rule: suggested, by: 'Ada' }) },
    });
    expect(decisions(await judge({ defaults: { command: 'ask' } }))).toEqual([
      ['shell_command', 'ask', 'ask'],
      ['shell_command', 'ask', 'allow'],
    ]);
  });

  it('skips calls that cannot be judged, and says why', async () => {
    const judge = await carried([call('look', {}), call('read_file', { wrong: 1 }), say('Done.')], {
      tools: [...recordedTools({ look: () => 'seen' }), ...builtinTools({ names: ['read_file'] })],
    });
    const { calls, skipped } = await judge({});
    expect(calls).toEqual([]);
    expect(skipped).toMatchObject([
      { tool: 'look', reason: 'the tool is not among those of the configuration' },
      { tool: 'read_file', reason: 'it was rejected before the policy was asked' },
    ]);
  });
});
