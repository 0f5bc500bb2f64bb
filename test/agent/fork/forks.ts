import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { Agent } from '../../../src/agent/agent.ts';
import type { ForkResult } from '../../../src/agent/fork/fork-run.ts';
import type { AgentOptions } from '../../../src/agent/options.ts';
import { openRecordedRun } from '../../../src/agent/wal/index.ts';
import type { AgentEvent } from '../../../src/protocol/index.ts';
import { expectSameReplay } from '../../support/agent.ts';
import { temporaryFolder } from '../../support/tacho.ts';
import { treeOf } from './tree.ts';

export function newFolder(): string {
  return path.join(temporaryFolder('tacho-fork-'), 'fork');
}

/** All events of a log; each line is checked. */
export async function eventsOf(locator: string): Promise<AgentEvent[]> {
  const recorded = openRecordedRun(locator);
  try {
    const events: AgentEvent[] = [];
    for await (const event of recorded.read()) events.push(event);
    return events;
  } finally {
    recorded.close();
  }
}

/** Options that record the tree of the workspace right after each event was written. */
export function recordingTrees(workspaceRoot: string) {
  const trees: Record<string, string>[] = [];
  const logHooks = [
    {
      name: 'trees',
      onEvents: (events: readonly AgentEvent[]) => {
        const tree = treeOf(workspaceRoot);
        for (const { seq } of events) trees[seq] = tree;
      },
    },
  ];
  return { trees, logHooks };
}

/** Type, time and data; what the fork is to have in common with the other run. */
export function common({ ts, type, data }: AgentEvent): unknown {
  return { ts, type, data: type === 'run_started' ? { ...data, forked_from: null } : data };
}

export interface Forked {
  fork: ForkResult;
  events: AgentEvent[];
}

/** Forks, resumes the fork to its end, and checks what has to be so of every fork. */
export async function forkAndFinish(
  agent: Agent,
  runId: string,
  request: Parameters<Agent['fork']>[1],
  makeAgent: (workspaceRoot: string) => { agent: Agent; options: AgentOptions },
): Promise<Forked> {
  const source = agent.options.workspaceRoot;
  const before = treeOf(source);
  const log = path.join(source, '.tacho/runs', runId, 'events.jsonl');
  const logBytes = fs.readFileSync(log);
  const fork = await agent.fork(runId, request);
  const next = makeAgent(fork.workspaceRoot);
  const run = next.agent.resume(fork.runId);
  await run.result;
  const events = await eventsOf(fork.locator);
  expect(fs.existsSync(path.join(fork.workspaceRoot, '.tacho/unfinished-fork'))).toBe(false);
  await expectSameReplay(next.options, fork.locator, events);
  expect(treeOf(source)).toEqual(before);
  expect(fs.readFileSync(log).equals(logBytes)).toBe(true);
  return { fork, events };
}
