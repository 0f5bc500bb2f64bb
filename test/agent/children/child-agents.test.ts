import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ChildAgents, type ChildAgentsOptions } from '../../../src/agent/children/child-agents.ts';
import { openChild } from '../../../src/agent/children/open-child.ts';
import { type ChildOrder, type ChildStarter, DiedEarly } from '../../../src/agent/children/starter.ts';
import { call, type Script, say, wait } from '../../../src/agent/models/script.ts';
import { decideApproval } from '../../../src/agent/pending/index.ts';
import { recordedTools } from '../../../src/agent/testkit/recorded-tools.ts';
import { TachoError } from '../../../src/protocol/index.ts';
import { policyOf, signalOf, type TestOptions, testAgent } from '../../support/agent.ts';
import { temporaryFolder } from '../../support/tacho.ts';

const never = new AbortController().signal;
const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
const hanging = [wait(untilAborted)];

interface Options extends Partial<Pick<ChildAgentsOptions<undefined>, 'maxAgents' | 'maxDepth'>> {
  script?: (runId: string) => Script;
  options?: Partial<TestOptions>;
  /** Before an agent is started: throws to let that fail. */
  starting?(order: ChildOrder, attempt: number): Promise<void> | void;
}

/** Agents in this process, each with a script, whose start may fail. */
function agentsWith({ script = () => [say('Done.')], options = {}, starting, ...limits }: Options = {}) {
  const workspaceRoot = temporaryFolder();
  const started: string[] = [];
  const starter: ChildStarter<undefined> = {
    start: async (order, host) => {
      started.push(`${order.how.kind} ${order.runId}`);
      await starting?.(order, started.length);
      const model = { position: 'prompt' } as const;
      const { agent } = testAgent({ ...options, workspaceRoot, script: script(order.runId), model });
      return await openChild(agent, order, host);
    },
  };
  const agents = new ChildAgents({ workspaceRoot, starter, maxAgents: 8, maxDepth: 3, ...limits });
  const spawn = (runId: string) => {
    return agents.spawn({ parent: null, runId, task: 'Do it', tools: null, model: null, setup: undefined });
  };
  const ended = async (agentId: string) => {
    return (await agents.wait({ agentIds: [agentId], timeoutMs: 60_000 }, never))[0]!;
  };
  return {
    agents,
    spawn,
    ended,
    started,
    folder: (id: string) => path.join(workspaceRoot, '.tacho/runs', id),
    workspaceRoot,
  };
}

describe('a start', () => {
  it('happens once, however often the same agent is asked for at the same time', async () => {
    const { spawn, started, ended } = agentsWith();
    const [one, other] = await Promise.all([spawn('a'), spawn('a')]);
    expect(one).toMatchObject({ agentId: 'a', status: 'running' });
    expect(other).toMatchObject({ agentId: 'a' });
    expect(await ended('a')).toMatchObject({ status: 'completed', text: 'Done.', use: { steps: 1 } });
    expect(await spawn('a')).toMatchObject({ status: 'completed' });
    expect(started).toEqual(['start a']);
  });

  it('is repeated if the process died before the run had begun', async () => {
    const { spawn, started, ended, folder } = agentsWith({
      starting: ({ runId }, attempt) => {
        if (attempt > 1) return;
        fs.mkdirSync(folder(runId), { recursive: true });
        throw new DiedEarly(runId, 'out of memory');
      },
    });
    await spawn('a');
    expect(await ended('a')).toMatchObject({ status: 'completed' });
    expect(started).toEqual(['start a', 'start a']);
  });

  it('that fails again is reported, leaves nothing and frees its place', async () => {
    const { agents, spawn, folder } = agentsWith({
      maxAgents: 1,
      starting: ({ runId }) => {
        if (runId === 'b') return;
        fs.mkdirSync(folder(runId), { recursive: true });
        throw new DiedEarly(runId, 'out of memory');
      },
    });
    await expect(spawn('a')).rejects.toThrow(
      'the process of the agent "a" ended before the agent had begun: out of memory',
    );
    expect(agents.counts()).toEqual({ running: 0, waiting: 0 });
    expect(fs.existsSync(folder('a'))).toBe(false);
    await expect(agents.resume({ agentId: 'a' })).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' });
    await expect(spawn('b')).resolves.toMatchObject({ agentId: 'b' });
  });

  it('that is refused is not repeated', async () => {
    const { spawn, started } = agentsWith({
      starting: () => {
        throw new TachoError('CONFIG_INVALID', 'no model');
      },
    });
    await expect(spawn('a')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(started).toEqual(['start a']);
  });

  it('counts against the limit from its beginning', async () => {
    const go = signalOf();
    const { spawn, agents } = agentsWith({ maxAgents: 1, starting: () => go.promise });
    const first = spawn('a');
    await expect.poll(() => agents.counts().running).toBe(1);
    await expect(spawn('b')).rejects.toMatchObject({ code: 'AGENT_LIMIT_REACHED', facts: { max_agents: 1 } });
    go.resolve();
    await first;
  });

  it('does not take the folder of another run', async () => {
    const { spawn, ended, agents, workspaceRoot } = agentsWith();
    await spawn('a');
    await ended('a');
    const parent = { runId: 'a', callId: 'x', callKey: '1.x', walLocator: `${workspaceRoot}/x` };
    const child = await agents.spawn({ parent, task: 'Do it', tools: null, model: null, setup: undefined });
    await ended(child.agentId);
    await expect(spawn(child.agentId)).rejects.toMatchObject({ code: 'RUN_EXISTS' });
  });

  it('is refused below a run that does not exist', async () => {
    const { agents, workspaceRoot } = agentsWith();
    const parent = { runId: 'missing', callId: 'x', callKey: '1.x', walLocator: `${workspaceRoot}/x` };
    const spawned = agents.spawn({ parent, task: 'Do it', tools: null, model: null, setup: undefined });
    await expect(spawned).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' });
  });
});

describe('a wait', () => {
  it('ends when one of several agents has ended, or at its timeout', async () => {
    const { agents, spawn } = agentsWith({ script: (id) => (id === 'b' ? [say('Done.')] : () => hanging) });
    await spawn('a');
    expect(await agents.wait({ agentIds: ['a'], timeoutMs: 1 }, never)).toMatchObject([{ status: 'running' }]);
    await spawn('b');
    const both = await agents.wait({ agentIds: ['a', 'b'], timeoutMs: 60_000 }, never);
    expect(both.map(({ status }) => status)).toEqual(['running', 'completed']);
    await agents.end('enough');
  });

  it('can be given up', async () => {
    const { agents, spawn } = agentsWith({ script: () => () => hanging });
    await spawn('a');
    const stop = new AbortController();
    const waited = agents.wait({ agentIds: ['a'], timeoutMs: 60_000 }, stop.signal);
    stop.abort(new Error('enough'));
    await expect(waited).rejects.toThrow('enough');
    await agents.end('enough');
  });
});

describe('an agent', () => {
  const asking = {
    tools: recordedTools({ act: () => 'acted' }, { act: { hasEffects: true } }),
    policy: policyOf(() => 'ask'),
    approvals: 'later',
  } as const;

  it('that waits for a decision does not count, and continues when there is room for it', async () => {
    const { agents, spawn, ended, started, workspaceRoot } = agentsWith({
      maxAgents: 1,
      options: asking,
      script: (id) => (id === 'a' ? [call('act', {}), say('Done.')] : () => hanging),
    });
    await spawn('a');
    await expect.poll(() => agents.counts()).toEqual({ running: 0, waiting: 1 });
    await spawn('b');
    await decideApproval(workspaceRoot, 'a.a1', 'approved');
    await agents.close({ agentId: 'b', reason: 'enough' });
    expect(await ended('a')).toMatchObject({ status: 'completed', text: 'Done.' });
    expect(started).toEqual(['start a', 'start b', 'resume a']);
  });

  it('that waits is closed for good, and started by a message', async () => {
    const { agents, spawn, ended } = agentsWith({
      options: asking,
      script: () => (request) =>
        JSON.stringify(request.prompt).includes('Never mind.') ? say('All right.') : call('act', {}),
    });
    await spawn('a');
    await expect.poll(() => agents.counts().waiting).toBe(1);
    await agents.send({ agentId: 'a', text: 'Never mind.', interrupt: true });
    expect(await ended('a')).toMatchObject({ status: 'completed', text: 'All right.' });
    await spawn('b');
    await expect.poll(() => agents.counts().waiting).toBe(1);
    expect(await agents.close({ agentId: 'b', reason: 'enough' })).toMatchObject({ status: 'closed', text: 'enough' });
    expect(agents.counts()).toEqual({ running: 0, waiting: 0 });
    await expect(agents.send({ agentId: 'b', text: 'Hello?', interrupt: false })).rejects.toMatchObject({
      code: 'AGENT_NOT_RUNNING',
    });
  });

  it('that has ended is not resumed, and stays as it is when it is closed', async () => {
    const { agents, spawn, ended } = agentsWith();
    await spawn('a');
    await ended('a');
    await expect(agents.resume({ agentId: 'a' })).rejects.toMatchObject({ code: 'AGENT_NOT_RUNNING' });
    expect(await agents.close({ agentId: 'a', reason: 'x' })).toMatchObject({ status: 'completed', text: 'Done.' });
  });

  it('is known by its log to another process', async () => {
    const { spawn, ended, workspaceRoot } = agentsWith();
    await spawn('a');
    await ended('a');
    const starter = { start: () => Promise.reject(new Error('nothing is to be started')) };
    const others = new ChildAgents({ workspaceRoot, starter, maxAgents: 1, maxDepth: 1 });
    const [info] = await others.wait({ agentIds: ['a'], timeoutMs: 0 }, never);
    expect(info).toMatchObject({ status: 'completed', text: 'Done.', use: { run_id: 'a', steps: 1 } });
  });
});

describe('the end of all agents', () => {
  it('closes those that run, and refuses new ones', async () => {
    const { agents, spawn } = agentsWith({ script: () => () => hanging });
    await Promise.all([spawn('a'), spawn('b')]);
    expect(await agents.closeAll('cleanup')).toBe(2);
    await spawn('c');
    await agents.end('over');
    const ids = ['a', 'b', 'c'];
    const infos = await agents.wait({ agentIds: ids, timeoutMs: 0 }, never);
    expect(infos.map(({ status, text }) => `${status}: ${text}`)).toEqual([
      'closed: cleanup',
      'closed: cleanup',
      'closed: over',
    ]);
    await expect(spawn('d')).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
  });
});

describe('the use of children', () => {
  it('is reported to the one who waits for it', async () => {
    const { agents, spawn, ended, workspaceRoot } = agentsWith({
      script: (id) => (id === 'a' ? () => hanging : [say('Done.')]),
    });
    await spawn('a');
    const parent = { runId: 'a', callId: 'x', callKey: '1.x', walLocator: `${workspaceRoot}/x` };
    const child = await agents.spawn({ parent, task: 'Do it', tools: null, model: null, setup: undefined });
    const { version } = await agents.usage('a', { seen: 0, waitMs: 60_000 }, never);
    expect(version).toBeGreaterThan(0);
    await ended(child.agentId);
    const later = await agents.usage('a', { seen: -1, waitMs: 0 }, never);
    expect(later).toMatchObject({ live: 0, children: [{ run_id: child.agentId, steps: 1 }] });
    await agents.end('over');
  });
});
