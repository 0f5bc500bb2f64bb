import { type AgentState, hasOpenCalls } from '../state/state.ts';
import { compactHistory } from './compaction.ts';
import type { Effects } from './effects.ts';
import { endIfStopped } from './end-run.ts';
import { finishRun } from './finish-run.ts';
import { modelTurn } from './model-turn.ts';
import { toolTurn } from './tool-turn.ts';

/**
 * Carries a run on from whatever its state is, until it ends or waits. What comes next follows from the state alone, so a
 * run that was just started and one that another process left behind are the same to it.
 */
export async function runLoop(effects: Effects): Promise<void> {
  const { emitter } = effects;
  const { state } = emitter;
  while (state.end === null && state.status !== 'waiting') {
    if (state.cancel !== null || state.exhausted || state.guard) await endIfStopped(effects);
    else if (hasOpenCalls(state)) await toolTurn(effects);
    else if (state.overflow) await compactHistory(effects);
    else if (state.turnEnded && state.queued.length === 0) await finishRun(effects);
    else if (!(await exhaustBudget(effects))) await modelTurn(effects);
  }
}

/** Checked before each request to a model. The time is watched by the process that carries out the run. */
async function exhaustBudget({ emitter, tree }: Effects): Promise<boolean> {
  const own = ownExhausted(emitter.state);
  const shared = own ? null : (tree?.exhausted() ?? null);
  if (!own && !shared) return false;
  if (own) emitter.emit('budget_exhausted', { ...own, scope: 'run' });
  else emitter.emit('budget_exhausted', { ...shared!, scope: 'tree' });
  await emitter.flush();
  return true;
}

type Exhausted = { budget: 'steps' | 'wall_time' | 'tokens' | 'cost'; limit: number; used: number };

function ownExhausted(state: AgentState): Exhausted | null {
  const { max_steps, max_tokens, max_cost_usd } = state.budgets;
  const used = usedBy(state);
  // A step that was begun may be tried again.
  const isNewStep = !state.request?.tries;
  if (max_steps !== null && isNewStep && used.steps >= max_steps)
    return { budget: 'steps', limit: max_steps, used: used.steps };
  if (max_tokens !== null && used.tokens >= max_tokens)
    return { budget: 'tokens', limit: max_tokens, used: used.tokens };
  if (max_cost_usd !== null && used.cost >= max_cost_usd)
    return { budget: 'cost', limit: max_cost_usd, used: used.cost };
  return null;
}

/** Use by a run and by all of its children. */
export function usedBy({ step, usage, costUsd, children }: AgentState): {
  steps: number;
  tokens: number;
  cost: number;
} {
  const used = { steps: step, tokens: usage.total_tokens ?? 0, cost: costUsd ?? 0 };
  for (const child of children.values()) {
    used.steps += child.steps;
    used.tokens += child.usage.total_tokens ?? 0;
    used.cost += child.cost_usd ?? 0;
  }
  return used;
}
