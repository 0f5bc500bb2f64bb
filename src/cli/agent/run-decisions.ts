import type { AgentDecisions } from '../../runs/index.ts';

/** Decisions about runs of our own agent. Loads nothing before the first one. */
export function agentPort(dataFolder: string): AgentDecisions {
  const open = async (): Promise<AgentDecisions> => {
    const { agentDecisions } = await import('../../agent/pending/agent-decisions.ts');
    return agentDecisions(async (rule, { workspace }) => {
      const { addRule } = await import('../../config/index.ts');
      await addRule({ workspaceRoot: workspace, env: process.env, dataFolder }, rule);
    });
  };
  return {
    decide: async (...given) => (await open()).decide(...given),
    decision: async (...given) => (await open()).decision(...given),
    answer: async (...given) => (await open()).answer(...given),
    answers: async (...given) => (await open()).answers(...given),
  };
}
