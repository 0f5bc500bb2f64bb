import type { AgentPort, AgentState, RunLink, RuntimeParts } from '../../tools/runtime-port.ts';
import { ToolFailure } from '../../tools/tool-failure.ts';
import type { ChildAgents, ChildInfo } from './child-agents.ts';
import { toolFailureOf } from './child-errors.ts';

/** The agents of this process as one run uses them. */
export function agentPortOf(agents: ChildAgents, link: RunLink): RuntimeParts & AgentPort {
  const { runId, walLocator } = link;
  const about = { parentId: runId, setup: undefined };
  agents.attach(link);
  return {
    spawnAgent: ({ callId, callKey, task, tools, model }) =>
      failing(async () => {
        const kind = { tools: tools ? childTools(link, tools) : null, model: model ?? null };
        const parent = { runId, walLocator, callId, callKey };
        return stateOf(await agents.spawn({ parent, task, ...kind, setup: undefined }));
      }),
    waitForAgents: (request, signal) =>
      failing(async () => (await agents.wait({ ...about, ...request }, signal)).map(stateOf)),
    sendInput: (message) => failing(async () => stateOf(await agents.send({ ...about, ...message }))),
    closeAgent: ({ agentId }) =>
      failing(async () => stateOf(await agents.close({ ...about, agentId, reason: CLOSED_BY_PARENT }))),
    resumeAgent: ({ agentId }) => failing(async () => stateOf(await agents.resume({ ...about, agentId }))),
    reserveStep: async (step) => agents.reserve(runId, link.used(), step),
    close: async ({ keepAgents }) => {
      if (!keepAgents) await agents.closeChildren(runId);
      agents.detach(runId);
    },
  };
}

export const CLOSED_BY_PARENT = 'its parent closed it';

/** A child gets tools of its parent only. */
export function childTools(
  { tools }: Pick<RunLink, 'tools'>,
  wanted: readonly string[] | undefined,
): readonly string[] {
  const missing = wanted?.find((name) => !tools.includes(name));
  if (missing === undefined) return wanted ?? tools;
  throw new ToolFailure('invalid_arguments', `you have no tool "${missing}"; yours are: ${tools.join(', ')}`, {
    retryable: true,
  });
}

export async function failing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toolFailureOf(error);
  }
}

function stateOf({ agentId, status, text, walLocator }: ChildInfo): AgentState {
  return { agentId, status, text, walLocator };
}
