import { expect, it } from 'vitest';
import { call, say } from '../../../src/agent/models/script.ts';
import {
  answerQuestion,
  decideApproval,
  pendingApprovals,
  pendingQuestions,
} from '../../../src/agent/pending/index.ts';
import { recordedTools } from '../../../src/agent/testkit/recorded-tools.ts';
import { listAgentRuns, statusOfRun } from '../../../src/agent/wal/index.ts';
import { builtinTools } from '../../../src/tools/builtin/index.ts';
import { carryOut, policyOf, type TestOptions, testAgent } from '../../support/agent.ts';
import { temporaryFolder } from '../../support/tacho.ts';

const model = { position: 'prompt' as const };

function actor() {
  return recordedTools({ act: (_, n) => `done ${n}` }, { act: { hasEffects: true } });
}

function later(options: Partial<TestOptions> & Pick<TestOptions, 'script'>) {
  return testAgent({ policy: policyOf(() => 'ask'), approvals: 'later', human: 'later', ...options, model });
}

it('an approval for a session ends with it', async () => {
  const tools = actor();
  const script = [
    call('act', { n: 1 }),
    call('act', { n: 1 }),
    call('act', { n: 2 }),
    call('act', { n: 1 }),
    say('Done.'),
  ];
  const first = later({ script, tools });
  const { workspaceRoot } = first.options;
  const started = await carryOut(first);
  await decideApproval(workspaceRoot, `${started.result.run_id}.a1`, 'approved_for_session');

  // The decision counts in the session that gets it, until it asks about something else.
  const second = later({ ...first.options, script });
  const { result } = await carryOut(second, second.agent.resume(started.result.run_id));
  expect(result).toMatchObject({ status: 'waiting', approvals: [`${result.run_id}.a2`] });
  expect(tools.calls).toHaveLength(2);
  await decideApproval(workspaceRoot, `${result.run_id}.a2`, 'approved');

  const third = later({ ...first.options, script });
  const again = await carryOut(third, third.agent.resume(result.run_id));
  expect(again.result).toMatchObject({ status: 'waiting', approvals: [`${result.run_id}.a3`] });
  expect((await pendingApprovals(workspaceRoot)).map(({ request }) => request.arguments)).toEqual([{ n: 1 }]);
  expect(tools.calls).toHaveLength(3);
});

it('a question is answered later, once', async () => {
  const script = [call('ask_human', { question: 'Which one?' }), say('Done.')];
  const first = later({ script, tools: builtinTools({ names: ['ask_human'] }) });
  const { workspaceRoot } = first.options;
  const { result } = await carryOut(first);
  const id = `${result.run_id}.q1`;
  expect(result).toMatchObject({ status: 'waiting', questions: [id] });
  const [open] = await pendingQuestions(workspaceRoot);
  const [asked] = open!.question.questions;
  expect(asked!.text).toBe('Which one?');
  await expect(answerQuestion(workspaceRoot, id, { other: 'x' })).rejects.toThrow(
    expect.objectContaining({ code: 'INVALID_REQUEST' }),
  );
  await expect(answerQuestion(workspaceRoot, `${result.run_id}.q2`, {})).rejects.toThrow(
    expect.objectContaining({ code: 'APPROVAL_NOT_FOUND' }),
  );
  expect((await answerQuestion(workspaceRoot, id, { [asked!.id]: 'the first' })).answers).toEqual({
    [asked!.id]: 'the first',
  });
  expect((await answerQuestion(workspaceRoot, id, { [asked!.id]: 'another' })).answers).toEqual({
    [asked!.id]: 'the first',
  });
  expect(await pendingQuestions(workspaceRoot)).toEqual([]);
  const second = later({ ...first.options, script });
  await carryOut(second, second.agent.resume(result.run_id));
  expect(JSON.stringify(second.model.requests.at(-1)!.prompt)).toContain('the first');
});

it('a run that has ended waits for nothing', async () => {
  const script = [call('act', { n: 1 }), say('Done.')];
  const first = later({ script, tools: actor() });
  const { workspaceRoot } = first.options;
  const { result } = await carryOut(first);
  expect(await pendingApprovals(workspaceRoot)).toHaveLength(1);
  const other = later({ ...first.options, script, policy: policyOf(() => 'allow') });
  expect((await other.agent.resume(result.run_id).result).status).toBe('completed');
  expect(await pendingApprovals(workspaceRoot)).toEqual([]);
});

it('a run that was closed waits for nothing any more', async () => {
  const parts = later({ script: [call('act', { n: 1 }), say('Done.')], tools: actor() });
  const { workspaceRoot } = parts.options;
  const { result } = await carryOut(parts);
  expect(await pendingApprovals(workspaceRoot)).toHaveLength(1);
  const closed = await carryOut(parts, parts.agent.resume(result.run_id, { close: 'not needed' }));
  expect(closed.result).toMatchObject({ status: 'closed' });
  expect(await pendingApprovals(workspaceRoot)).toEqual([]);
  const [entry] = await listAgentRuns(workspaceRoot);
  expect(statusOfRun(entry!)).toBe('closed');
});

it('a registered run with an approver of its own takes a decision and an answer from elsewhere', async () => {
  const script = [call('act', { n: 1 }), call('ask_human', { question: 'Which one?' }), say('Done.')];
  const never = <T>() => new Promise<T>(() => {});
  const tools = [...actor(), ...builtinTools({ names: ['ask_human'] })];
  const test = testAgent({
    script,
    tools,
    policy: policyOf(({ tool }) => (tool === 'act' ? 'ask' : 'allow')),
    approvals: { decide: () => never() },
    human: { ask: () => never() },
    register: { dataFolder: temporaryFolder() },
  });
  const { workspaceRoot } = test.options;
  const carried = carryOut(test);
  await expect.poll(() => pendingApprovals(workspaceRoot)).toHaveLength(1);
  const [approval] = await pendingApprovals(workspaceRoot);
  await decideApproval(workspaceRoot, approval!.request.approval_id, 'approved', { by: 'Ada' });
  await expect.poll(() => pendingQuestions(workspaceRoot)).toHaveLength(1);
  const { question } = (await pendingQuestions(workspaceRoot))[0]!;
  await answerQuestion(workspaceRoot, question.question_id, { [question.questions[0]!.id]: 'the first' });
  const { result, events } = await carried;
  expect(result.status).toBe('completed');
  expect(events.find(({ type }) => type === 'approval_decided')!.data).toMatchObject({ by: 'Ada' });
});
