import { expect, it } from 'vitest';
import { call, fail, finish, say } from '../../../src/agent/models/script.ts';
import { scriptedModel } from '../../../src/agent/models/scripted-model.ts';
import { recordedTools } from '../../../src/agent/testkit/recorded-tools.ts';
import { carryOut, dataOf, type TestOptions, testAgent } from '../../support/agent.ts';

const overflow = fail({ kind: 'context_overflow', status: 400, message: 'the prompt is too long' });
const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };

function agentThatOverflows(mode: 'fail_fast' | 'compact_first' | 'ask_first', more: Partial<TestOptions> = {}) {
  const planner = scriptedModel([[say('They looked at A and B.'), finish('stop', usage)]], { record: true });
  const parts = testAgent({
    script: [call('look', { n: 1 }), call('look', { n: 2 }), call('look', { n: 3 }), overflow, say('Done.')],
    tools: recordedTools({ look: (input) => JSON.stringify(input) }),
    settings: { on_overflow: mode },
    planner,
    ...more,
  });
  return { planner, ...parts };
}

it('ends the run at once with fail_fast', async () => {
  const { planner, ...parts } = agentThatOverflows('fail_fast');
  const { result } = await carryOut(parts);
  expect(result).toMatchObject({ status: 'failed', reason: 'context_overflow', message: 'the prompt is too long' });
  expect(planner.requests).toEqual([]);
});

it('replaces the older part by a summary of the planner with compact_first', async () => {
  const { planner, ...parts } = agentThatOverflows('compact_first');
  const { result, events } = await carryOut(parts, 'The task');
  expect(result).toMatchObject({ status: 'completed', text: 'Done.', steps: 4 });
  expect(dataOf(events, 'history_compacted')).toMatchObject([
    { dropped_messages: 4, summary: 'They looked at A and B.' },
  ]);
  expect(JSON.stringify(planner.requests[0]!.prompt)).toContain('The task');
  const prompt = JSON.stringify(parts.model.requests.at(-1)!.prompt);
  expect(prompt).toContain('The task');
  expect(prompt).toContain('They looked at A and B.');
  expect(prompt).not.toContain('{\\"n\\":1}');
  expect(prompt).toContain('\\"n\\":3');
  expect(result.usage.total_tokens).toBe(15);
});

it.each([
  ['compact', 'completed'],
  ['stop', 'failed'],
] as const)('asks before it compacts with ask_first, and follows the answer %s', async (answer, status) => {
  const asked: string[] = [];
  const { planner: _, ...parts } = agentThatOverflows('ask_first', {
    human: {
      ask: async ({ questions }) => {
        asked.push(questions[0]!.text);
        return { answers: { compact: answer }, by: 'test' };
      },
    },
  });
  const { result } = await carryOut(parts);
  expect(asked).toHaveLength(1);
  expect(result.status).toBe(status);
});

it('waits for the answer of ask_first in another process', async () => {
  const { planner: _, ...parts } = agentThatOverflows('ask_first', { human: { ask: async () => 'later' } });
  const waiting = await carryOut(parts);
  expect(waiting.result).toMatchObject({ status: 'waiting', questions: [`${waiting.result.run_id}.q1`] });
  const answered = testAgent({
    ...parts.options,
    script: [say('Done.')],
    human: { ask: async () => ({ answers: { compact: 'compact' }, by: 'test' }) },
  });
  const { result } = await carryOut(answered, answered.agent.resume(waiting.result.run_id));
  expect(result.status).toBe('completed');
});

it('fails with ask_first if nobody can be asked', async () => {
  const { planner: _, ...parts } = agentThatOverflows('ask_first');
  expect((await carryOut(parts)).result).toMatchObject({ status: 'failed', reason: 'config_error' });
});

it('fails if the conversation still does not fit after it was compacted', async () => {
  const { planner: _, ...parts } = agentThatOverflows('compact_first', {
    script: [call('look', { n: 1 }), call('look', { n: 2 }), overflow, overflow],
  });
  expect((await carryOut(parts)).result).toMatchObject({ status: 'failed', reason: 'context_overflow' });
});

it('fails if the summary fails', async () => {
  const planner = scriptedModel([fail({ kind: 'auth', message: 'no key' })]);
  const { planner: _, ...parts } = agentThatOverflows('compact_first', { planner });
  expect((await carryOut(parts)).result).toMatchObject({
    status: 'failed',
    reason: 'context_overflow',
    message: 'the prompt is too long; the summary failed too: no key',
  });
});

it('continues a response that reached the output limit, and does not compact', async () => {
  const parts = testAgent({
    script: [
      [say('First half,'), finish('length')],
      [say(' second half.'), finish('stop')],
    ],
  });
  const { result, types } = await carryOut(parts);
  expect(types).not.toContain('history_compacted');
  expect(result).toMatchObject({ status: 'completed', text: ' second half.' });
  expect(JSON.stringify(parts.model.requests[1]!.prompt.at(-1))).toContain('Continue exactly where it stopped');
});

it('ends a run whose responses are cut off again and again', async () => {
  const parts = testAgent({ script: () => [say('…'), finish('length')] });
  expect((await carryOut(parts)).result).toMatchObject({ status: 'failed', reason: 'response_cut_off', steps: 4 });
});
