import { expect } from 'vitest';
import { childRunId } from '../../../src/agent/children/child-id.ts';
import {
  type ChildRequest,
  type InProcessAgentsOptions,
  inProcessAgents,
} from '../../../src/agent/children/in-process.ts';
import { readRunFacts } from '../../../src/agent/children/run-facts.ts';
import { call, type Script, type ScriptTurn } from '../../../src/agent/models/script.ts';
import { scriptedModel } from '../../../src/agent/models/scripted-model.ts';
import type { AgentOptions } from '../../../src/agent/options.ts';
import { replayLog } from '../../../src/agent/replay/replay-log.ts';
import { builtinTools } from '../../../src/tools/index.ts';
import { policyOf, testAgent } from '../../support/agent.ts';
import { temporaryFolder } from '../../support/tacho.ts';

export const PARENT = 'run-a';
const AGENT_TOOLS = ['spawn_agent', 'wait', 'send_input', 'close_agent', 'resume_agent'];

/** The id of the child that the parent spawns with the call `id` at this step. */
export function childOf(step: number, id = 'spawn', parent = PARENT): string {
  return childRunId(parent, `${step}.${id}`);
}

export function spawn(task = 'Look around.', more: { tools?: string[]; id?: string; model?: string } = {}) {
  const { id = 'spawn', ...rest } = more;
  return call('spawn_agent', { task, ...rest }, { id });
}

export function waitFor(ids: string | string[], timeout_ms?: number): ScriptTurn {
  const agent_ids = typeof ids === 'string' ? [ids] : ids;
  return call('wait', { agent_ids, ...(timeout_ms === undefined ? {} : { timeout_ms }) });
}

export interface FamilyOptions {
  parent: Script;
  /** The script of each child. */
  child: (request: ChildRequest) => Script;
  /** Options of the parent, of the children, and of all. */
  parentOptions?: Partial<AgentOptions>;
  children?: Partial<AgentOptions>;
  all?: Partial<AgentOptions>;
  limits?: Pick<InProcessAgentsOptions, 'maxAgents' | 'maxDepth'>;
}

/** A parent whose children run in this process. */
export function family({ parent, child, parentOptions = {}, children = {}, all = {}, limits = {} }: FamilyOptions) {
  const workspaceRoot = temporaryFolder();
  const tools = builtinTools({ names: AGENT_TOOLS, runtime: true });
  const optionsOf = (script: Script, more: Partial<AgentOptions>): AgentOptions => ({
    workspaceRoot,
    sandbox: { profile: 'none' },
    policy: policyOf(() => 'allow'),
    ...all,
    ...more,
    tools: [...tools, ...(more.tools ?? [])],
    model: scriptedModel(script, { position: 'prompt' }),
  });
  const requests: ChildRequest[] = [];
  const childOptions = (request: ChildRequest) => optionsOf(child(request), children);
  const runtime = inProcessAgents({
    workspaceRoot,
    agent: (request) => {
      requests.push(request);
      return childOptions(request);
    },
    ...limits,
  });
  const parts = testAgent({
    ...optionsOf(parent, parentOptions),
    script: parent,
    model: { position: 'prompt' },
    runtime,
  });
  return {
    ...parts,
    requests,
    workspaceRoot,
    facts: async (runId: string) => (await readRunFacts(workspaceRoot, runId))!,
    /** The log of a child replays to the same bytes. */
    expectReplay: async (runId: string) => {
      const request = requests.find((one) => one.runId === runId)!;
      const result = await replayLog({ ...childOptions(request), runtime }, runId);
      expect(result).toMatchObject({ identical: true });
    },
  };
}
