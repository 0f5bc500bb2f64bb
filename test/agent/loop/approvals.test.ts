import { describe, expect, it } from 'vitest';
import { call, say } from '../../../src/agent/models/script.ts';
import { recordedTools } from '../../../src/agent/testkit/recorded-tools.ts';
import type { Approver } from '../../../src/approvals/index.ts';
import type { ApprovalDecision, ToolApprovalRequest } from '../../../src/protocol/index.ts';
import { carryOut, dataOf, policyOf, type TestOptions, testAgent } from '../../support/agent.ts';

function actor() {
  return recordedTools({ act: (_, n) => `done ${n}` }, { act: { hasEffects: true } });
}

function deciding(...decisions: ApprovalDecision[]): Approver & { requests: ToolApprovalRequest[] } {
  const requests: ToolApprovalRequest[] = [];
  return {
    requests,
    decide: async (request) => {
      const decision = decisions[requests.length] ?? decisions.at(-1)!;
      requests.push(request);
      return { decision, reason: null, rule: request.suggested_rule, by: 'test' };
    },
  };
}

function asking(options: Partial<TestOptions> & Pick<TestOptions, 'script'>) {
  return testAgent({ policy: policyOf(() => 'ask'), ...options });
}

const twice = [call('act', { n: 1 }), call('act', { n: 1 }), call('act', { n: 2 }), say('Done.')];

describe('decisions', () => {
  it('approved counts for one call', async () => {
    const approvals = deciding('approved');
    const tools = actor();
    await carryOut(asking({ script: twice, tools, approvals }));
    expect(approvals.requests).toHaveLength(3);
    expect(tools.calls).toHaveLength(3);
  });

  it('approved_for_session counts for the same request', async () => {
    const approvals = deciding('approved_for_session');
    const tools = actor();
    await carryOut(asking({ script: twice, tools, approvals }));
    expect(approvals.requests).toHaveLength(2);
    expect(tools.calls).toHaveLength(3);
  });

  it('approved_with_rule adds exactly the rule that was shown', async () => {
    const approvals = deciding('approved_with_rule');
    const { events } = await carryOut(asking({ script: twice, tools: actor(), approvals }));
    expect(approvals.requests).toHaveLength(1);
    expect(dataOf(events, 'approval_decided')[0]!.rule).toEqual({ decision: 'allow', tool: 'act' });
  });

  it('approved_with_rule with another rule counts for one call', async () => {
    const approvals: Approver = {
      decide: async () => ({
        decision: 'approved_with_rule',
        reason: null,
        rule: { decision: 'allow', tool: '*' },
        by: 'test',
      }),
    };
    const { events } = await carryOut(asking({ script: twice, tools: actor(), approvals }));
    expect(dataOf(events, 'approval_decided').map(({ decision }) => decision)).toEqual([
      'approved',
      'approved',
      'approved',
    ]);
  });

  it('denied tells the model, and a second denial of the same request ends the run', async () => {
    const tools = actor();
    const { result } = await carryOut(asking({ script: twice, tools, approvals: deciding('denied') }));
    expect(tools.calls).toEqual([]);
    expect(result).toMatchObject({ status: 'failed', reason: 'repeated_denial', steps: 2 });
  });

  it('abort ends the run', async () => {
    const { result } = await carryOut(asking({ script: twice, tools: actor(), approvals: deciding('abort') }));
    expect(result).toMatchObject({ status: 'failed', reason: 'aborted', steps: 1 });
  });

  it('of an approver that fails are denials', async () => {
    const approvals: Approver = { decide: () => Promise.reject(new Error('no terminal')) };
    const { events } = await carryOut(asking({ script: [call('act', {}), say('Done.')], tools: actor(), approvals }));
    expect(dataOf(events, 'approval_decided')).toMatchObject([
      { decision: 'denied', reason: expect.stringContaining('no terminal') },
    ]);
  });
});

it('fails with config_error if a call has to be approved and nobody can', async () => {
  const tools = actor();
  const { result } = await carryOut(asking({ script: twice, tools }));
  expect(result).toMatchObject({ status: 'failed', reason: 'config_error' });
  expect(tools.calls).toEqual([]);
});

it('asks all approvals of a turn before it waits, and runs nothing behind an open one', async () => {
  const tools = actor();
  const approvals: Approver = {
    decide: async ({ arguments: given }) =>
      (given as { n: number }).n === 2 ? 'later' : { decision: 'approved', reason: null, rule: null, by: 'test' },
  };
  const script = [[call('act', { n: 1 }), call('act', { n: 2 }), call('act', { n: 3 })], say('Done.')];
  const { result, events } = await carryOut(asking({ script, tools, approvals }));
  expect(tools.calls.map(({ input }) => input)).toEqual([{ n: 1 }]);
  expect(result.status).toBe('waiting');
  expect(dataOf(events, 'approval_requested')).toHaveLength(3);
});

describe('a run that waits', () => {
  const later: Approver = { decide: async () => 'later' };
  const script = [call('act', { n: 1 }), say('Done.')];
  const model = { position: 'prompt' as const };

  async function waiting() {
    const tools = actor();
    const parts = asking({ script, tools, approvals: later, model });
    const { result } = await carryOut(parts);
    expect(result).toMatchObject({ status: 'waiting', approvals: [`${result.run_id}.a1`] });
    return { tools, options: parts.options, runId: result.run_id };
  }

  it('carries a call out once after it was approved', async () => {
    const { tools, options, runId } = await waiting();
    const approvals = deciding('approved');
    const parts = testAgent({ ...options, script, model, approvals });
    const { result } = await carryOut(parts, parts.agent.resume(runId));
    expect(result).toMatchObject({ status: 'completed', text: 'Done.' });
    expect(tools.calls).toHaveLength(1);
    expect(approvals.requests).toHaveLength(1);
    await expect(parts.agent.resume(runId).result).rejects.toMatchObject({ code: 'RUN_ENDED' });
  });

  it('waits again while there is no decision', async () => {
    const { options, runId, tools } = await waiting();
    const parts = testAgent({ ...options, script, model });
    const { result, events } = await carryOut(parts, parts.agent.resume(runId));
    expect(result.status).toBe('waiting');
    expect(dataOf(events, 'approval_requested')).toHaveLength(1);
    expect(tools.calls).toEqual([]);
  });

  it('is judged by the policy of today', async () => {
    const { options, runId, tools } = await waiting();
    const parts = testAgent({
      ...options,
      script,
      model,
      approvals: deciding('approved'),
      policy: policyOf(() => 'deny'),
    });
    const resumed = parts.agent.resume(runId);
    const { result } = await resumed.result.then((result) => ({ result }));
    expect(result.status).toBe('completed');
    expect(tools.calls).toEqual([]);
  });

  it('ends approvals for a session with the session', async () => {
    const tools = actor();
    const both = [call('act', { n: 1 }), call('act', { n: 2 }), call('act', { n: 1 }), say('Done.')];
    const first: Approver = {
      decide: async ({ arguments: given }) =>
        (given as { n: number }).n === 2
          ? 'later'
          : { decision: 'approved_for_session', reason: null, rule: null, by: 'test' },
    };
    const parts = asking({ script: both, tools, approvals: first, model });
    const { result } = await carryOut(parts);
    const approvals = deciding('approved');
    const next = testAgent({ ...parts.options, sessionId: 'another', script: both, model, approvals });
    await carryOut(next, next.agent.resume(result.run_id));
    expect(approvals.requests.map(({ arguments: given }) => given)).toEqual([{ n: 2 }, { n: 1 }]);
    expect(tools.calls).toHaveLength(3);
  });
});

describe('questions', () => {
  const { ask_human: _, ...none } = {} as { ask_human?: never };
  const question = async () =>
    (await import('../../../src/tools/builtin/index.ts')).builtinTools({ names: ['ask_human'] });

  it('are answered by a person, whose answer is the result', async () => {
    const parts = testAgent({
      ...none,
      script: [call('ask_human', { question: 'Which one?' }), say('Done.')],
      tools: await question(),
      human: { ask: async ({ questions }) => ({ answers: { [questions[0]!.id]: 'the second' }, by: 'test' }) },
    });
    const { events } = await carryOut(parts);
    expect(dataOf(events, 'tool_call_finished')[0]!.result).toMatchObject({ ok: true, stdout: 'the second' });
  });

  it('wait for another process', async () => {
    const script = [call('ask_human', { question: 'Which one?' }), say('Done.')];
    const model = { position: 'prompt' as const };
    const parts = testAgent({ script, model, tools: await question(), human: { ask: async () => 'later' } });
    const { result } = await carryOut(parts);
    expect(result).toMatchObject({ status: 'waiting', questions: [expect.any(String)] });
    const next = testAgent({
      ...parts.options,
      script,
      model,
      human: { ask: async ({ questions }) => ({ answers: { [questions[0]!.id]: 'the first' }, by: 'test' }) },
    });
    const resumed = await carryOut(next, next.agent.resume(result.run_id));
    expect(resumed.result.status).toBe('completed');
  });

  it('fail as a tool if nobody can be asked', async () => {
    const parts = testAgent({
      script: [call('ask_human', { question: 'Which?' }), say('Done.')],
      tools: await question(),
    });
    const { events } = await carryOut(parts);
    expect(dataOf(events, 'tool_call_finished')[0]!.result.error_kind).toBe('unavailable');
  });
});
