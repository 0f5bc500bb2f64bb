import path from 'node:path';
import { expect } from 'vitest';
import { Agent, type RunOptions } from '../../src/agent/agent.ts';
import type { Script } from '../../src/agent/models/script.ts';
import { type ScriptedModelOptions, scriptedModel } from '../../src/agent/models/scripted-model.ts';
import type { AgentOptions } from '../../src/agent/options.ts';
import { replayRun } from '../../src/agent/replay/replay-run.ts';
import type { AgentRun } from '../../src/agent/run/agent-run.ts';
import type { RunResult } from '../../src/agent/run/run-result.ts';
import { sequentialIds } from '../../src/agent/testkit/sequential-ids.ts';
import { Vault } from '../../src/agent/wal/index.ts';
import type { Policy } from '../../src/approvals/index.ts';
import type { AgentData, AgentEvent, AgentEventType, PolicyVerdict, ToolAction } from '../../src/protocol/index.ts';
import { temporaryFolder } from './tacho.ts';

/** A policy that is only a function, for tests of what the loop makes of a verdict. */
export function policyOf(
  decide: (call: { tool: string; actions: readonly ToolAction[] }) => Partial<PolicyVerdict>['decision'],
): Policy {
  return {
    digest: 'test',
    rules: [],
    evaluate: ({ tool, actions, added = [] }) => {
      const isAdded = added.some((rule) => rule.tool === tool);
      return {
        decision: isAdded ? 'allow' : (decide({ tool, actions }) ?? 'allow'),
        reason: `the test says so about ${tool}`,
        rule: null,
        suggested_rule: { decision: 'allow', tool },
      };
    },
  };
}

export type TestOptions = Partial<Omit<AgentOptions, 'model'>> & { script: Script; model?: ScriptedModelOptions };

/** An agent on a scripted model in a folder of its own, without a sandbox and without questions. */
export function testAgent({ script, model, ...options }: TestOptions) {
  const scripted = scriptedModel(script, { record: true, ...model });
  const all: AgentOptions = {
    workspaceRoot: temporaryFolder(),
    sandbox: { profile: 'none' },
    policy: policyOf(() => 'allow'),
    tools: [],
    newId: sequentialIds(),
    ...options,
    model: scripted,
  };
  return { agent: new Agent(all), model: scripted, options: all };
}

export interface Carried {
  events: AgentEvent[];
  result: RunResult;
  types: AgentEventType[];
}

/** Carries a run out. Whatever the test is about, the run also has to be the same in a replay. */
export async function carryOut(
  { agent, options }: { agent: Agent; options: AgentOptions },
  task: string | AgentRun = 'Do it',
  runOptions: RunOptions = {},
): Promise<Carried> {
  const run = typeof task === 'string' ? agent.run(task, runOptions) : task;
  const events: AgentEvent[] = [];
  for await (const event of run) events.push(event);
  const result = await run.result;
  await expectSameReplay(options, run.locator, events);
  return { events, result, types: events.map(({ type }) => type) };
}

export async function expectSameReplay(
  options: AgentOptions,
  locator: string,
  events: readonly AgentEvent[],
): Promise<void> {
  const vault = Vault.openToRead(path.join(path.dirname(locator), 'vault'));
  try {
    expect(await replayRun(options, { events, vault })).toEqual({ identical: true, events: events.length });
  } finally {
    vault.close();
  }
}

/** The data of the events of one type. */
export function dataOf<T extends AgentEventType>(events: readonly AgentEvent[], type: T): AgentData<T>[] {
  return events.filter((event) => event.type === type).map(({ data }) => data as AgentData<T>);
}

/** A promise to be resolved by the test. */
export function signalOf(): { promise: Promise<void>; resolve(): void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
