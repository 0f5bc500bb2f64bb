import type { AgentUse } from '../../tools/index.ts';
import type { Agent } from '../agent.ts';
import { isNewStep } from '../loop/budgets.ts';
import type { BudgetTree } from '../loop/effects.ts';
import type { AgentRun } from '../run/agent-run.ts';
import type { AgentState } from '../state/state.ts';
import type { ChildHost, ChildOrder, RunningChild } from './starter.ts';

/** Carries out an order in this process. Resolves when the log has its first events. */
export async function openChild(
  agent: Agent<unknown>,
  order: Pick<ChildOrder, 'runId' | 'how'>,
  host: ChildHost,
): Promise<RunningChild> {
  const run = openRun(agent, order, budgetOf(host));
  const live = await run.live();
  return {
    budgets: live.state.budgets,
    // A run that could not be recorded is in its log as far as it came.
    ended: run.result.then(
      () => {},
      () => {},
    ),
    send: async ({ text, interrupt }) => await run.send(text, { interrupt }),
    close: (reason) => void live.close(reason).catch(() => {}),
    charge: (use) => void live.charge(use).catch(() => {}),
  };
}

function openRun(
  agent: Agent<unknown>,
  { runId, how }: Pick<ChildOrder, 'runId' | 'how'>,
  budget: BudgetTree,
): AgentRun<unknown> {
  switch (how.kind) {
    case 'start':
      return agent.run(how.task, { runId, ...(how.parent ? { parent: { ...how.parent, budget } } : {}) });
    case 'resume':
      return agent.resume(runId, { budget });
    case 'close':
      return agent.resume(runId, { budget, close: how.reason });
  }
}

/** The budgets of its tree, as a run asks for them. */
function budgetOf(host: ChildHost): BudgetTree {
  return {
    exhausted: async (state) => await host.reserve(ownUse(state), { isNew: isNewStep(state) }),
    charge: (state) => host.used(ownUse(state)),
  };
}

function ownUse({ step, usage, costUsd }: AgentState): AgentUse {
  return { steps: step, usage, cost_usd: costUsd };
}
