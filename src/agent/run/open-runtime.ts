import type { RunLink, RuntimeParts } from '../../tools/index.ts';
import { isNewStep } from '../loop/budgets.ts';
import type { BudgetTree } from '../loop/effects.ts';
import type { AgentState } from '../state/state.ts';

interface RuntimeRun extends Pick<RunLink, 'walLocator' | 'workspaceRoot' | 'tools' | 'charge'> {
  state: AgentState;
}

interface OpenedRuntime {
  port: RuntimeParts;
  /** The budgets of the run's tree, where the runtime watches them. */
  tree: BudgetTree | null;
  close(how: { keepAgents: boolean }): Promise<void>;
}

/** The runtime as one run uses it. A runtime without `forRun` is shared, so it is not closed with a run. */
export function openRuntime(runtime: RuntimeParts | undefined, run: RuntimeRun): OpenedRuntime | null {
  if (!runtime) return null;
  const { state, ...rest } = run;
  const link: RunLink = {
    ...rest,
    runId: state.runId,
    // Of a new run they are known with its first event.
    get budgets() {
      return state.budgets;
    },
    used: () => ({ steps: state.step, usage: state.usage, cost_usd: state.costUsd }),
    children: () => [...state.children.keys()],
  };
  const port = runtime.forRun?.(link);
  if (!port) return { port: runtime, tree: null, close: async () => {} };
  return {
    port,
    tree: port.reserveStep
      ? { exhausted: async (now) => await port.reserveStep!({ isNew: isNewStep(now) }), charge: () => {} }
      : null,
    // Whatever fails here must not keep a run from ending.
    close: async (how) => await port.close?.(how).catch(() => {}),
  };
}
