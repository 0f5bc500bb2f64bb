import type { Budgets } from '../../protocol/index.ts';
import type { ExhaustedBudget } from '../../tools/index.ts';
import type { AgentState } from '../state/state.ts';

/** What counts against budgets. */
export interface Used {
  steps: number;
  tokens: number;
  cost: number;
}

/** The first budget that is used up, or null. A step that was begun may be tried again, whatever the number of steps. */
export function exhaustedOf(
  { max_steps, max_tokens, max_cost_usd }: Budgets,
  used: Used,
  { isNewStep = true }: { isNewStep?: boolean } = {},
): ExhaustedBudget | null {
  if (max_steps !== null && isNewStep && used.steps >= max_steps)
    return { budget: 'steps', limit: max_steps, used: used.steps };
  if (max_tokens !== null && used.tokens >= max_tokens)
    return { budget: 'tokens', limit: max_tokens, used: used.tokens };
  if (max_cost_usd !== null && used.cost >= max_cost_usd)
    return { budget: 'cost', limit: max_cost_usd, used: used.cost };
  return null;
}

export function isNewStep({ request }: AgentState): boolean {
  return !request?.tries;
}

/** Use by a run and by all of its children. */
export function usedBy({ step, usage, costUsd, children }: AgentState): Used {
  const used = { steps: step, tokens: usage.total_tokens ?? 0, cost: costUsd ?? 0 };
  for (const child of children.values()) {
    used.steps += child.steps;
    used.tokens += child.usage.total_tokens ?? 0;
    used.cost += child.cost_usd ?? 0;
  }
  return used;
}
