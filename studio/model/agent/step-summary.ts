import type { AgentCall, AgentStep } from '../../../src/protocol/index.ts';

/** One line about a step: what the model called, or what it said. */
export function stepSummary({ calls, text }: Pick<AgentStep, 'calls' | 'text'>): string {
  if (calls.length === 0) return text.replaceAll(/\s+/g, ' ').trim();
  const counts = new Map<string, number>();
  for (const { name } of calls) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count === 1 ? name : `${name} ×${count}`)).join(', ');
}

export type CallState = 'ok' | 'failed' | 'denied' | 'waiting' | 'running' | 'requested';

/** How far a call has come. */
export function callState(call: AgentCall): CallState {
  if (call.ok === true) return 'ok';
  if (call.error_kind === 'denied' || call.verdict?.decision === 'deny') return 'denied';
  if (call.ok === false) return 'failed';
  const isAsked = (call.approval_id !== null && call.decision === null) || call.question_id !== null;
  if (isAsked && call.started_at === null) return 'waiting';
  return call.started_at === null ? 'requested' : 'running';
}

/** The worst that happened in a step. */
export function stepState({ calls, finish_reason }: Pick<AgentStep, 'calls' | 'finish_reason'>): CallState {
  const states = new Set(calls.map(callState));
  for (const state of ['waiting', 'running', 'requested', 'denied', 'failed'] as const) {
    if (states.has(state)) return state;
  }
  return finish_reason === null ? 'running' : 'ok';
}

/** Contents that are not logged appear as their digests, which say nothing to a person. */
export function shownArguments({ arguments: given }: Pick<AgentCall, 'arguments'>): string {
  return given.replaceAll(/"[0-9a-f]{64}"/g, '"…"');
}
