import type { ExhaustedBudget } from '../../tools/index.ts';
import { type AgentState, hasOpenCalls } from '../state/state.ts';
import { exhaustedOf, isNewStep, usedBy } from './budgets.ts';
import { compactHistory } from './compaction.ts';
import type { Effects } from './effects.ts';
import { endIfStopped, endInterrupted } from './end-run.ts';
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
  while (state.end === null && state.status !== 'waiting' && state.status !== 'closed') {
    if (state.cancel !== null || state.exhausted || state.guard || state.close !== null) await endIfStopped(effects);
    else if (state.isInterrupted && (effects.stop.aborted || hasOpenCalls(state))) await endInterrupted(effects);
    else if (hasOpenCalls(state)) await toolTurn(effects);
    else if (state.overflow) await compactHistory(effects);
    else if (state.turnEnded && state.queued.length === 0) await finishRun(effects);
    else if (!(await exhaustBudget(effects))) await modelTurn(effects);
  }
}

/** Checked before each request to a model. The time is watched by the process that carries out the run. */
async function exhaustBudget({ emitter, tree, stop }: Effects): Promise<boolean> {
  const { state } = emitter;
  const shared = tree && !ownExhausted(state) ? await tree.exhausted(state) : null;
  if (stop.aborted) return true;
  // Asked again: the use of children may have come meanwhile.
  const own = ownExhausted(state);
  if (!own && !shared) return false;
  if (own) emitter.emit('budget_exhausted', { ...own, scope: 'run' });
  else emitter.emit('budget_exhausted', { ...shared!, scope: 'tree' });
  await emitter.flush();
  return true;
}

function ownExhausted(state: AgentState): ExhaustedBudget | null {
  return exhaustedOf(state.budgets, usedBy(state), { isNewStep: isNewStep(state) });
}
