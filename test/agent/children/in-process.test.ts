import { expect, it } from 'vitest';
import { call, say, wait } from '../../../src/agent/models/script.ts';
import { decideApproval } from '../../../src/agent/pending/index.ts';
import { recordedTools } from '../../../src/agent/testkit/recorded-tools.ts';
import { listAgentRuns } from '../../../src/agent/wal/index.ts';
import type { AgentEvent } from '../../../src/protocol/index.ts';
import { carryOut, dataOf, policyOf, signalOf } from '../../support/agent.ts';
import { childOf, family, PARENT, spawn, waitFor } from './family.ts';

const start = { runId: PARENT };
const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

function answersOf(events: readonly AgentEvent[]): string[] {
  return dataOf(events, 'tool_call_finished').map(({ result }) => (result.ok ? result.stdout : `${result.error_kind}`));
}

it('a parent spawns a child, waits for it and gets its answer', async () => {
  const parts = family({
    parent: [spawn('How many files?', { tools: ['wait'] }), waitFor(childOf(1)), say('Three, it says.')],
    child: () => [say('Three.')],
  });
  const { result, events } = await carryOut(parts, 'Count', start);
  expect(result).toMatchObject({ status: 'completed', text: 'Three, it says.' });
  expect(answersOf(events)[1]).toBe(`${childOf(1)}: completed\nThree.\n`);
  expect(parts.requests).toEqual([{ runId: childOf(1), task: 'How many files?', tools: ['wait'], model: null }]);
  expect(await parts.facts(childOf(1))).toMatchObject({
    status: 'completed',
    text: 'Three.',
    parent: { run_id: PARENT, call_id: 'spawn', wal_locator: result.wal_locator },
    tools: ['wait'],
  });
  expect(dataOf(events, 'child_charged').at(-1)).toMatchObject({ run_id: childOf(1), steps: 1 });
  await parts.expectReplay(childOf(1));
});

it('a spawn that is repeated returns the child that is there', async () => {
  const parts = family({ parent: [spawn(), spawn(), say('Done.')], child: () => [say('Yes.')] });
  await carryOut(parts, 'Do it', start);
  const port = parts.options.runtime!.forRun!(linkOf(parts.workspaceRoot));
  const signal = new AbortController().signal;
  const again = await port.spawnAgent!({ callId: 'spawn', callKey: '1.spawn', task: 'Other' }, signal);
  expect(again).toMatchObject({ agentId: childOf(1), status: 'completed', text: 'Yes.' });
  expect(parts.requests).toHaveLength(2);
  await port.close?.({ keepAgents: true });
});

function linkOf(workspaceRoot: string) {
  return {
    runId: PARENT,
    walLocator: `${workspaceRoot}/.tacho/runs/${PARENT}/events.jsonl`,
    workspaceRoot,
    budgets: { max_steps: null, max_wall_ms: null, max_tokens: null, max_cost_usd: null },
    tools: ['wait'],
    used: () => ({ steps: 0, usage: {}, cost_usd: null }),
    children: () => [],
    charge: () => {},
  };
}

it('a child gets tools of its parent only', async () => {
  const parts = family({ parent: [spawn('Do it', { tools: ['shell_exec'] }), say('No.')], child: () => [say('Yes.')] });
  const { events } = await carryOut(parts, 'Do it', start);
  expect(answersOf(events)).toEqual(['invalid_arguments']);
  expect(parts.requests).toEqual([]);
});

it('children can have children, up to the limit of levels', async () => {
  const second = childOf(1, 'spawn', childOf(1));
  const parts = family({
    parent: [spawn(), waitFor(childOf(1)), say('Done.')],
    child: ({ runId }) => {
      if (runId === childOf(1)) return [spawn(), waitFor(second), say('Second level.')];
      return [spawn(), say('Third level is refused.')];
    },
    limits: { maxDepth: 2 },
  });
  const { result } = await carryOut(parts, 'Do it', start);
  expect(result.status).toBe('completed');
  expect(parts.requests.map(({ runId }) => runId)).toEqual([childOf(1), second]);
  const runs = await listAgentRuns(parts.workspaceRoot);
  expect(runs.map(({ run_id, parent }) => [run_id, parent?.run_id ?? null])).toEqual(
    expect.arrayContaining([
      [PARENT, null],
      [childOf(1), PARENT],
      [second, childOf(1)],
    ]),
  );
  expect((await parts.facts(childOf(1))).children).toMatchObject([{ run_id: second, steps: 2 }]);
  expect((await parts.facts(PARENT)).children).toMatchObject([{ run_id: childOf(1), steps: 5 }]);
  await parts.expectReplay(childOf(1));
});

it('more children than allowed are refused, until one has ended', async () => {
  const go = signalOf();
  const hanging = wait(() => go.promise);
  const parts = family({
    parent: (_, n) => {
      if (n === 0) return [spawn('One', { id: 'a' }), spawn('Two', { id: 'b' })];
      if (n === 1) {
        go.resolve();
        return waitFor(childOf(1, 'a'));
      }
      return n === 2 ? spawn('Three', { id: 'c' }) : n === 3 ? waitFor(childOf(3, 'c')) : 'Done.';
    },
    child: ({ runId }) => (runId === childOf(1, 'a') ? [[hanging, say('One.')]] : [say('Other.')]),
    limits: { maxAgents: 1 },
  });
  const { events } = await carryOut(parts, 'Do it', start);
  const refused = dataOf(events, 'tool_call_finished')[1]!.result;
  expect(refused).toMatchObject({ error_kind: 'unavailable', retryable: true, data: { code: 'AGENT_LIMIT_REACHED' } });
  expect(parts.requests.map(({ task }) => task)).toEqual(['One', 'Three']);
});

it('agents that are not its own are not found', async () => {
  const parts = family({
    parent: [waitFor('run-other'), waitFor('../etc'), call('close_agent', { agent_id: PARENT }), say('Done.')],
    child: () => [say('Yes.')],
  });
  const { events } = await carryOut(parts, 'Do it', start);
  expect(answersOf(events)).toEqual(['not_found', 'not_found', 'not_found']);
});

it('a message interrupts a child; another one is refused after its end', async () => {
  const reached = signalOf();
  const hanging = wait((signal) => {
    reached.resolve();
    return untilAborted(signal);
  });
  const parts = family({
    parent: async (_, n) => {
      if (n === 0) return spawn();
      if (n === 1) {
        await reached.promise;
        return call('send_input', { agent_id: childOf(1), text: 'Answer now.', interrupt: true });
      }
      return [waitFor(childOf(1)), call('send_input', { agent_id: childOf(1), text: 'More?' }), 'Done.'][n - 2]!;
    },
    child: () => (request) =>
      JSON.stringify(request.prompt).includes('Answer now.') ? say('Answered.') : [hanging, say('Never.')],
  });
  const { events } = await carryOut(parts, 'Do it', start);
  expect(answersOf(events).slice(1)).toEqual([
    `${childOf(1)}: running\n`,
    `${childOf(1)}: completed\nAnswered.\n`,
    'conflict',
  ]);
  await parts.expectReplay(childOf(1));
});

it('a child is closed, resumed, and closed with its parent', async () => {
  const reached = [signalOf(), signalOf()];
  let times = 0;
  const hanging = wait((signal) => {
    reached[times++]?.resolve();
    return untilAborted(signal);
  });
  const parts = family({
    parent: async (_, n) => {
      if (n === 1) await reached[0]!.promise;
      if (n === 3) await reached[1]!.promise;
      const agent_id = childOf(1);
      return [spawn(), call('close_agent', { agent_id }), call('resume_agent', { agent_id }), say('Done.')][n]!;
    },
    child: () => () => [hanging],
  });
  const { events } = await carryOut(parts, 'Do it', start);
  expect(answersOf(events)).toEqual([
    `${childOf(1)}: running\n`,
    `${childOf(1)}: closed\nits parent closed it\n`,
    `${childOf(1)}: running\n`,
  ]);
  expect(await parts.facts(childOf(1))).toMatchObject({ status: 'closed', text: 'its parent has ended' });
  await parts.expectReplay(childOf(1));
});

it('a child that waits for a decision does not end a wait, and continues when it was made', async () => {
  const act = recordedTools({ act: () => 'acted' }, { act: { hasEffects: true } });
  const parts = family({
    parent: async ({ prompt }, n) => {
      if (n === 0) return spawn();
      const last = JSON.stringify(prompt.at(-1));
      if (last.includes('completed')) return 'Done.';
      if (!last.includes('waiting for approval')) return waitFor(childOf(1), 200);
      await decideApproval(parts.workspaceRoot, `${childOf(1)}.a1`, 'approved');
      return waitFor(childOf(1));
    },
    child: () => [call('act', {}), say('It is done.')],
    children: { tools: act, policy: policyOf(({ tool }) => (tool === 'act' ? 'ask' : 'allow')), approvals: 'later' },
  });
  const { events } = await carryOut(parts, 'Do it', start);
  expect(answersOf(events).slice(-2)).toEqual([
    `${childOf(1)}: waiting\nwaiting for approval ${childOf(1)}.a1: act\n`,
    `${childOf(1)}: completed\nIt is done.\n`,
  ]);
  expect(act.calls).toHaveLength(1);
  await parts.expectReplay(childOf(1));
});

it('the steps of children count against the budgets of their parent, whichever of them takes them', async () => {
  const look = recordedTools({ look: (_, n) => `seen ${n}` });
  const looks = Array.from({ length: 50 }, (_, n) => call('look', { n }));
  const ids = [childOf(1, 'a'), childOf(1, 'b')];
  const parts = family({
    parent: [[spawn('One', { id: 'a' }), spawn('Two', { id: 'b' })], ...ids.map((id) => waitFor(id)), say('Done.')],
    child: () => [...looks, say('Never said.')],
    children: { tools: look },
    all: { budgets: { max_steps: 20 } },
  });
  const { result, events } = await carryOut(parts, 'Do it', start);
  expect(result).toMatchObject({ status: 'failed', reason: 'budget_exhausted' });
  const [one, other] = await Promise.all(ids.map((id) => parts.facts(id)));
  expect(result.steps + one!.used.steps + other!.used.steps).toBe(20);
  expect(dataOf(events, 'budget_exhausted')).toMatchObject([{ budget: 'steps', limit: 20, used: 20 }]);
  const own = [one!, other!].filter(({ status }) => status === 'failed');
  expect(own.map(({ text }) => text)).toContain(
    'the budget of steps of the whole tree of agents is exhausted: 20 of 20',
  );
  for (const id of ids) await parts.expectReplay(id);
});

it('children that have ended are not charged again when their parent is resumed', async () => {
  const act = recordedTools({ act: () => 'acted' }, { act: { hasEffects: true } });
  const parts = family({
    parent: [spawn(), waitFor(childOf(1)), call('act', {}), waitFor(childOf(1)), say('Done.')],
    child: () => [say('Yes.')],
    parentOptions: {
      tools: act,
      policy: policyOf(({ tool }) => (tool === 'act' ? 'ask' : 'allow')),
      approvals: 'later',
    },
  });
  const first = await carryOut(parts, 'Do it', start);
  expect(first.result.status).toBe('waiting');
  await decideApproval(parts.workspaceRoot, `${PARENT}.a1`, 'approved');
  const { result, events } = await carryOut(parts, parts.agent.resume(PARENT));
  expect(result.status).toBe('completed');
  expect(dataOf(events, 'child_charged')).toHaveLength(dataOf(first.events, 'child_charged').length);
  expect(answersOf(events).at(-1)).toBe(`${childOf(1)}: completed\nYes.\n`);
});
