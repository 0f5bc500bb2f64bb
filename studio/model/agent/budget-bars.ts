import type { AgentAnswer } from '../../../src/protocol/index.ts';

export type BudgetName = 'steps' | 'time' | 'tokens' | 'cost';

/** What is used of a budget, by the agent itself and by its children. */
export interface BudgetBar {
  name: BudgetName;
  own: number;
  children: number;
  used: number;
  /** Null without a limit. */
  limit: number | null;
  /** Shares of the limit from 0 to 1; together at most 1. Zero without a limit. */
  ownShare: number;
  childrenShare: number;
}

type Facts = Pick<AgentAnswer, 'budgets' | 'use'>;

/** The budgets of a run, in a fixed order. A cost without prices is left out, unless it is limited. */
export function budgetBars({ budgets, use }: Facts): BudgetBar[] {
  const { own, children } = use;
  const bars = [
    barOf('steps', own.steps, children.steps, budgets.max_steps),
    // The time of children passes at the same time.
    barOf('time', use.active_ms, 0, budgets.max_wall_ms),
    barOf('tokens', own.tokens, children.tokens, budgets.max_tokens),
  ];
  const hasCost = own.cost_usd !== null || children.cost_usd !== null || budgets.max_cost_usd !== null;
  if (!hasCost) return bars;
  return [...bars, barOf('cost', own.cost_usd ?? 0, children.cost_usd ?? 0, budgets.max_cost_usd)];
}

function barOf(name: BudgetName, own: number, children: number, limit: number | null): BudgetBar {
  const share = (part: number) => (limit === null || limit === 0 ? 0 : part / limit);
  const ownShare = Math.min(1, share(own));
  return {
    name,
    own,
    children,
    used: own + children,
    limit,
    ownShare,
    childrenShare: Math.min(1 - ownShare, share(children)),
  };
}
