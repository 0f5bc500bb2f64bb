import type { AgentData, ToolResult } from '../../protocol/index.ts';
import { type AgentState, hasOpenCalls } from '../state/state.ts';
import type { Effects } from './effects.ts';

/** Ends the run if something has stopped it. */
export async function endIfStopped(effects: Effects): Promise<void> {
  const { emitter } = effects;
  const { state } = emitter;
  if (state.cancel !== null) {
    closeCalls(effects, 'the run was cancelled');
    emitter.emit('run_cancelled', { reason: state.cancel, ...totals(state) });
    await emitter.flush({ durable: true });
  } else if (state.exhausted) {
    const { budget, scope, limit, used } = state.exhausted;
    const whose = scope === 'tree' ? ' of the whole tree of agents' : '';
    await failRun(
      effects,
      'budget_exhausted',
      `the budget of ${BUDGET_NAMES[budget]}${whose} is exhausted: ${used} of ${limit}`,
    );
  } else if (state.guard) {
    await failRun(effects, state.guard.guard, state.guard.detail);
  }
}

const BUDGET_NAMES = { steps: 'steps', wall_time: 'time (ms)', tokens: 'tokens', cost: 'cost (USD)' } as const;

export async function failRun(
  effects: Effects,
  reason: AgentData<'run_failed'>['reason'],
  message: string,
): Promise<void> {
  closeCalls(effects, message);
  effects.emitter.emit('run_failed', { reason, message, ...totals(effects.emitter.state) });
  await effects.emitter.flush({ durable: true });
}

/** Every call gets a result: a conversation with an open call cannot be continued. */
function closeCalls({ emitter }: Effects, why: string): void {
  const { state } = emitter;
  if (!hasOpenCalls(state)) return;
  for (const { part, result } of state.turn) {
    if (result) continue;
    emitter.emit('tool_call_finished', { step: state.step, call_id: part.call_id, result: failed('cancelled', why) });
  }
}

export function failed(error_kind: ToolResult['error_kind'], stderr: string): ToolResult {
  return {
    ok: false,
    stdout: '',
    stderr,
    exit_code: null,
    duration_ms: 0,
    truncated: false,
    data: null,
    error_kind,
    retryable: false,
  };
}

export function totals({ step, usage, costUsd }: AgentState): {
  steps: number;
  usage: AgentState['usage'];
  cost_usd: number | null;
} {
  return { steps: step, usage, cost_usd: costUsd };
}
