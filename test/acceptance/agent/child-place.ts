import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { stringify } from 'yaml';
import { Agent } from '../../../src/agent/agent.ts';
import { childRunId } from '../../../src/agent/children/child-id.ts';
import { type RunFacts, readRunFacts } from '../../../src/agent/children/run-facts.ts';
import { agentFromConfig } from '../../../src/agent/from-config/index.ts';
import { call, type Script, type ScriptStep } from '../../../src/agent/models/script.ts';
import { scriptedModel } from '../../../src/agent/models/scripted-model.ts';
import { openRecordedRun, walLocator } from '../../../src/agent/wal/index.ts';
import type { AgentEvent, Budgets, ToolResult } from '../../../src/protocol/index.ts';
import { workspaceRuntime } from '../../../src/runtime/port/index.ts';
import { builtinTools } from '../../../src/tools/index.ts';
import { policyOf } from '../../support/agent.ts';
import { temporaryFolder } from '../../support/tacho.ts';
import { command, type DaemonUnderTest, daemonOf } from '../runtime/daemon.ts';

export const PARENT = 'run-p';
const TOOLS = ['spawn_agent', 'wait', 'send_input', 'close_agent', 'resume_agent', 'shell_command', 'update_plan'];

export type Sections = Record<string, Record<string, unknown>>;

/** A workspace with a real daemon, whose children are real processes that follow scripts. */
export interface ChildPlace {
  workspace: string;
  home: string;
  daemon: DaemonUnderTest;
  /** Writes the script of a child; its name is the `model` of the child. */
  script(name: string, turns: readonly (string | ScriptStep | ScriptStep[])[]): string;
  /** An agent of this process that has its children in the daemon. */
  parent(script: Script, options?: { budgets?: Partial<Budgets>; env?: Record<string, string> }): Agent;
  facts(runId: string): Promise<RunFacts>;
  /** The events of a run, each line checked, whose replay gives the same ones. */
  events(runId: string): Promise<AgentEvent[]>;
}

export function childPlace({ config = {}, idleMs = 60_000 }: { config?: Sections; idleMs?: number } = {}): ChildPlace {
  const workspace = fs.realpathSync(temporaryFolder());
  const home = temporaryFolder();
  const { safety, ...sections } = config;
  const settings = {
    llm: { provider: 'scripted' },
    models: { executor: 'child.json' },
    sandbox: { profile: 'none' },
    safety: { write: 'allow', command: 'allow', ...safety },
    ...sections,
  };
  fs.writeFileSync(path.join(home, 'config.yaml'), stringify(settings));
  const env = { TACHO_HOME: home };
  const daemon = daemonOf(workspace, env);
  return {
    workspace,
    home,
    daemon,
    script: (name, turns) => {
      fs.writeFileSync(path.join(workspace, name), JSON.stringify(turns));
      return name;
    },
    parent: (script, { budgets, env: more = {} } = {}) =>
      new Agent({
        workspaceRoot: workspace,
        model: scriptedModel(script, { position: 'prompt' }),
        policy: policyOf(() => 'allow'),
        sandbox: { profile: 'none' },
        tools: builtinTools({ names: TOOLS, runtime: true }),
        ...(budgets ? { budgets } : {}),
        runtime: workspaceRuntime({
          workspaceRoot: workspace,
          home,
          env: { PATH: process.env.PATH!, ...more },
          daemon: { command, environment: { ...process.env, ...env }, idleMs },
        }),
      }),
    facts: async (runId) => (await readRunFacts(workspace, runId))!,
    events: async (runId) => await checkedEvents({ workspace, home }, runId),
  };
}

async function checkedEvents(place: Pick<ChildPlace, 'workspace' | 'home'>, runId: string): Promise<AgentEvent[]> {
  const recorded = openRecordedRun(walLocator(place.workspace, runId));
  const events: AgentEvent[] = [];
  try {
    for await (const event of recorded.read()) events.push(event);
  } finally {
    recorded.close();
  }
  const { agent } = await agentFromConfig(place.workspace, {
    home: place.home,
    env: {},
    runtime: workspaceRuntime,
    override: { model: scriptedModel([]) },
  });
  expect(await agent.replay(runId), runId).toEqual({ identical: true, events: events.length });
  return events;
}

/** The id of the child that a run spawns with the call `id` at this step. */
export function childOf(step: number, id = 'spawn', parent = PARENT): string {
  return childRunId(parent, `${step}.${id}`);
}

export function spawn(model: string, { id = 'spawn', task = 'Do your part.' } = {}): ScriptStep {
  return call('spawn_agent', { task, model }, { id });
}

export function waitFor(...agent_ids: string[]): ScriptStep {
  return call('wait', { agent_ids });
}

export function resultsOf(events: readonly AgentEvent[]): ToolResult[] {
  return events.flatMap((event) => (event.type === 'tool_call_finished' ? event.data.result : []));
}

/** A command that waits until the file is there; `mark` makes its processes recognizable. */
export function untilThere(file: string, mark = ''): ScriptStep {
  return call('shell_command', { command: `: ${mark}; until [ -e ${file} ]; do sleep 0.02; done; cat ${file}` });
}

export async function carriedOut(agent: Agent, task = 'Do it all.') {
  const run = agent.run(task, { runId: PARENT });
  const events: AgentEvent[] = [];
  for await (const event of run) events.push(event);
  return { result: await run.result, events };
}
