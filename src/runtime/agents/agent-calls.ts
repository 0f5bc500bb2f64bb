import { randomBytes } from 'node:crypto';
import type { ChildAgents, ChildInfo } from '../../agent/children/child-agents.ts';
import { runPaths } from '../../agent/wal/run-folder.ts';
import type { AgentInfo, AgentMethod, AgentSetup, CheckedParams, RuntimeResult } from '../../protocol/index.ts';

export type DaemonAgents = ChildAgents<AgentSetup | undefined>;

type Handlers = {
  [M in AgentMethod]: (
    agents: DaemonAgents,
    params: CheckedParams<M>,
    workspace: string,
  ) => Promise<RuntimeResult<M>> | RuntimeResult<M>;
};

/** A client that is gone waits no longer than the time it asked for. */
const NEVER = new AbortController().signal;

const HANDLERS: Handlers = {
  'agent.spawn': async (agents, { parent, agent_id, task, tools = null, model = null, setup }, workspace) => {
    const runId = agent_id ?? `run-${randomBytes(8).toString('hex')}`;
    if (parent?.used) agents.used(parent.run_id, parent.used);
    const link = parent && {
      runId: parent.run_id,
      callId: parent.call_id,
      callKey: parent.call_key,
      walLocator: runPaths(workspace, parent.run_id).log,
    };
    return infoOf(await agents.spawn({ parent: link ?? null, runId, task, tools, model, setup }));
  },
  'agent.wait': async (agents, { agent_ids: agentIds, timeout_ms: timeoutMs, parent_id: parentId, setup }) => {
    const infos = await agents.wait({ agentIds, timeoutMs, parentId, setup }, NEVER);
    return { agents: infos.map(infoOf) };
  },
  'agent.send_input': async (agents, { agent_id: agentId, parent_id: parentId, ...message }) =>
    infoOf(await agents.send({ agentId, parentId, ...message })),
  'agent.close': async (agents, { agent_id: agentId, parent_id: parentId, reason, setup }) =>
    infoOf(await agents.close({ agentId, parentId, reason, setup })),
  'agent.resume': async (agents, { agent_id: agentId, parent_id: parentId, setup }) =>
    infoOf(await agents.resume({ agentId, parentId, setup })),
  'agent.list': async (agents, { parent_id: parentId }) => ({ agents: (await agents.list({ parentId })).map(listed) }),
  'agent.usage': async (agents, { run_id, seen, wait_ms: waitMs }) =>
    await agents.usage(run_id, { seen, waitMs }, NEVER),
  'agent.reserve': async (agents, { run_id, used, new_step: isNew }) => {
    const exhausted = agents.reserve(run_id, used, { isNew });
    const { children: charges } = await agents.usage(run_id, { seen: -1, waitMs: 0 }, NEVER);
    return { exhausted, charges };
  },
};

export function callAgents<M extends AgentMethod>(
  agents: DaemonAgents,
  method: M,
  params: CheckedParams<M>,
  workspace: string,
): Promise<RuntimeResult<M>> | RuntimeResult<M> {
  return HANDLERS[method](agents, params, workspace);
}

function infoOf({ text, use: { steps, usage, cost_usd }, ...info }: ChildInfo): AgentInfo {
  return { ...listed(info), text, steps, usage, cost_usd };
}

function listed({ agentId, parentId, status, walLocator: wal_locator }: Omit<ChildInfo, 'text' | 'use'>) {
  return { agent_id: agentId, parent_id: parentId, status, wal_locator };
}
