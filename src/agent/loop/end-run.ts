import type { AgentData, ToolResult } from '../../protocol/index.ts';
import { type AgentState, type CallState, hasOpenCalls } from '../state/state.ts';
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
  } else if (state.close !== null) {
    closeCalls(effects, 'the run was closed before the call had ended');
    emitter.emit('run_waiting', { approvals: [], questions: [] });
    await emitter.flush({ durable: true });
  }
}

/** A message stops what was under way. The model gets it with its next prompt. */
export async function endInterrupted(effects: Effects): Promise<void> {
  effects.renewStop();
  closeCalls(effects, 'a message of the user interrupted the call');
  // Ids of providers may repeat from step to step.
  effects.prepared.clear();
  await effects.emitter.flushSoon();
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
function closeCalls({ emitter, intents }: Effects, why: string): void {
  const { state } = emitter;
  if (!hasOpenCalls(state)) return;
  for (const call of state.turn) {
    if (call.result) continue;
    // Of a process that died: this one would know the outcome.
    const isUnknown = call.started && intents.isMarked(callKeyOf(state.step, call));
    const result = isUnknown ? failed('unknown_outcome', UNKNOWN_OUTCOME) : failed('cancelled', why);
    emitter.emit('tool_call_finished', { step: state.step, call_id: call.part.call_id, result });
  }
}

export const UNKNOWN_OUTCOME =
  'the process ended while this call was carried out, so it is unknown whether it took effect. Verify before retrying.';

/** Ids of providers may repeat from step to step. */
export function callKeyOf(step: number, { part }: CallState): string {
  return `${step}.${part.call_id}`;
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
