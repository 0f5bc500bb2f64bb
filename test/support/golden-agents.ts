import fs from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { Agent } from '../../src/agent/agent.ts';
import { childRunId } from '../../src/agent/children/child-id.ts';
import { inProcessAgents } from '../../src/agent/children/in-process.ts';
import { call, fail, finish, say, think, wait } from '../../src/agent/models/script.ts';
import { scriptedModel } from '../../src/agent/models/scripted-model.ts';
import type { AgentOptions } from '../../src/agent/options.ts';
import type { AgentRun } from '../../src/agent/run/agent-run.ts';
import { memoryClock } from '../../src/agent/testkit/memory-clock.ts';
import { recordedTools } from '../../src/agent/testkit/recorded-tools.ts';
import type { Approver } from '../../src/approvals/index.ts';
import { builtinTools } from '../../src/tools/builtin/index.ts';
import type { SourceTool, ToolSource } from '../../src/tools/tool-source.ts';
import { policyOf, signalOf } from './agent.ts';

/** A run that is kept as a fixture: how it was made, and the agent that replays it. */
export interface GoldenAgent {
  /** Everything but the workspace, which the log names itself. */
  options: Omit<AgentOptions<never>, 'workspaceRoot'>;
  /** Makes the run. */
  record(agent: Agent<never>, workspaceRoot: string): Promise<AgentRun<never>>;
}

const usage = { input_tokens: 100, output_tokens: 20, total_tokens: 120 };
const base = { sandbox: { profile: 'none' as const }, policy: policyOf(() => 'allow') };
const approve: Approver = { decide: async () => ({ decision: 'approved', reason: null, rule: null, by: 'test' }) };

async function carried(run: AgentRun<never>): Promise<AgentRun<never>> {
  await run.result;
  return run;
}

export const GOLDEN_AGENTS: Readonly<Record<string, () => GoldenAgent>> = {
  'run-files': () => ({
    options: {
      ...base,
      clock: memoryClock({ auto: true }),
      secrets: [{ name: 'TOKEN', value: 'sesame-4711-open' }],
      model: scriptedModel([
        [
          think('First look.', { meta: { anthropic: { signature: 'abc' } } }),
          call('list_dir', { path: '.' }),
          call('read_file', { path: 'a.txt' }),
        ],
        [
          say('The token is sesame-47', { pieces: 5 }),
          say('11-open.'),
          call('file_write', { path: 'b.txt', content: 'two\nsesame-4711-open\n' }),
        ],
        [
          call('apply_patch', { patch: '*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+uno\n*** End Patch' }),
          finish('tool_calls', usage),
        ],
        say('Done.'),
      ]),
      tools: builtinTools({ names: ['list_dir', 'read_file', 'file_write', 'apply_patch'] }),
    },
    record: async (agent, workspaceRoot) => {
      fs.writeFileSync(path.join(workspaceRoot, 'a.txt'), 'one\n');
      return await carried(agent.run('Change the files', { runId: 'run-files' }));
    },
  }),
  'run-approvals': () => ({
    options: {
      ...base,
      policy: policyOf(({ tool }) => (tool === 'act' ? 'ask' : 'allow')),
      approvals: approve,
      model: scriptedModel(
        [[call('look', {}), call('act', { n: 1 }), call('act', { n: 2 })], call('act', { n: 1 }), say('Done.')],
        { position: 'prompt' },
      ),
      tools: recordedTools({ act: 'ok', look: 'seen' }, { act: { hasEffects: true } }),
    },
    record: async (agent) => {
      const { workspaceRoot } = agent.options;
      const later = new Agent<never>({ ...agent.options, workspaceRoot, approvals: { decide: async () => 'later' } });
      await carried(later.run('Act', { runId: 'run-approvals' }));
      return await carried(agent.resume('run-approvals'));
    },
  }),
  'run-long': () => ({
    options: {
      ...base,
      settings: { history_max_messages: 12, no_progress_steps: 100 },
      model: scriptedModel((_, n) => {
        if (n === 20) return fail({ kind: 'context_overflow', message: 'too long' });
        return n < 24 ? [call('look', { n }), finish('tool_calls', usage)] : say('Done.');
      }),
      planner: scriptedModel([say('They looked around.')]),
      tools: recordedTools({ look: (input) => `seen ${JSON.stringify(input)}` }),
    },
    record: (agent) => carried(agent.run('Look around', { runId: 'run-long' })),
  }),
  'run-troubles': () => ({
    options: {
      ...base,
      clock: memoryClock({ auto: true }),
      random: () => 0.25,
      policy: policyOf(({ actions }) => (actions.some(({ kind }) => kind === 'shell') ? 'deny' : 'allow')),
      hooks: {
        beforeTool: [
          {
            name: 'rename',
            hook: ({ name, input }) =>
              name === 'look' ? { change: { ...(input as object), checked: true } } : undefined,
          },
        ],
        afterTool: [
          { name: 'scan', hook: ({ result }) => (result.stdout.includes('bad') ? { refuse: 'it is bad' } : undefined) },
        ],
      },
      output: z.object({ files: z.array(z.string()) }) as never,
      model: scriptedModel([
        [say('Half'), fail({ kind: 'overloaded', status: 529, retryable: true })],
        [call('look', { n: 1 }), call('shell_command', { command: 'rm -rf /', more: 'x'.repeat(300) }, { pieces: 20 })],
        [call('look', { n: 2 }), call('nothing', {}), call('look', '{"n": ')],
        [say('{"files": 1'), finish('length')],
        say('{"files": "a"}'),
        say('{"files": ["a"]}'),
      ]),
      tools: [
        ...recordedTools({ look: (input) => ((input as { n: number }).n === 2 ? 'bad' : 'good') }),
        ...builtinTools({ names: ['shell_command'] }),
      ],
    },
    record: (agent) => carried(agent.run('Look', { runId: 'run-troubles' })),
  }),
  'run-interrupted': () => {
    let reached = () => {};
    const stuck = new Promise<void>((resolve) => {
      reached = resolve;
    });
    return {
      options: {
        ...base,
        model: scriptedModel([
          call('look', { n: 1 }),
          [
            say('Let me think'),
            wait((signal) => {
              reached();
              return new Promise((_, reject) =>
                signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
              );
            }),
          ],
        ]),
        tools: recordedTools({ look: 'seen' }),
      },
      record: async (agent) => {
        const run = agent.run('Look', { runId: 'run-interrupted' });
        await run.send('Be quick.');
        await stuck;
        await run.send('And tidy up.', { when: 'after' });
        await run.cancel('enough');
        return run;
      },
    };
  },
  'run-sources': () => ({
    options: {
      ...base,
      approvals: approve,
      model: scriptedModel([
        call('mcp__clock__time', { city: 'Lima' }),
        call('mcp__clock__time', { city: 'Rome' }),
        say('Done.'),
      ]),
      tools: [],
      toolSources: [
        changingClock(),
        { name: 'mcp:broken', open: () => Promise.reject(new Error('it does not start')) },
      ],
    },
    record: (agent) => carried(agent.run('What time is it?', { runId: 'run-sources' })),
  }),
  'run-closed': () => {
    const stops = [signalOf(), signalOf()];
    let requests = 0;
    const hanging = wait((signal) => {
      stops[requests++]!.resolve();
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
    });
    const turns = [[say('Let me think'), hanging], call('look', { n: 1 }), [hanging], say('Done.')];
    let turn = 0;
    return {
      options: { ...base, model: scriptedModel(() => turns[turn++]!), tools: recordedTools({ look: 'seen' }) },
      record: async (agent) => {
        const run = agent.run('Look', { runId: 'run-closed' });
        await stops[0]!.promise;
        await run.send('Look at once.', { interrupt: true });
        await stops[1]!.promise;
        await run.close('not now');
        return await carried(agent.resume('run-closed'));
      },
    };
  },
  'run-parent': () => {
    let folder = '';
    const child = childRunId('run-parent', '1.spawn');
    const runtime = inProcessAgents({
      get workspaceRoot() {
        return folder;
      },
      agent: () => ({ ...base, workspaceRoot: folder, model: scriptedModel([[say('Small.'), finish('stop', usage)]]) }),
    });
    return {
      options: {
        ...base,
        model: scriptedModel([
          call('spawn_agent', { task: 'Look around.' }, { id: 'spawn' }),
          call('wait', { agent_ids: [child] }),
          call('close_agent', { agent_id: child }),
          say('It is small.'),
        ]),
        tools: builtinTools({ names: ['spawn_agent', 'wait', 'close_agent'], runtime: true }),
        runtime,
      },
      record: async (agent, workspaceRoot) => {
        folder = workspaceRoot;
        return await carried(agent.run('Ask a child.', { runId: 'run-parent' }));
      },
    };
  },
};

/** A server whose tool has another description after its first call. */
function changingClock(): ToolSource {
  const parameters = { type: 'object', properties: { city: { type: 'string' } } };
  let description = 'The time in a city.';
  const tool: SourceTool = {
    name: 'mcp__clock__time',
    description,
    parameters,
    current: async () => ({ description, parameters }),
    execute: async () => {
      description = 'The time in a city, or elsewhere.';
      return 'Noon.';
    },
  };
  return { name: 'mcp:clock', open: async () => ({ tools: [tool], close: async () => {} }) };
}
