import type { AgentData, AgentEvent, AgentEventType } from '../../protocol/index.ts';
import { applyEvent, type ExactEvent } from '../state/apply-event.ts';
import { type AgentState, newState } from '../state/state.ts';
import type { Vault } from '../wal/index.ts';

/** The data of an event as it really was. */
export function exactData<T extends AgentEventType>(event: AgentEvent<T>, vault: Pick<Vault, 'getJson'>): AgentData<T> {
  const { exact } = event.data as { exact?: string };
  return exact === undefined ? event.data : vault.getJson<AgentData<T>>(exact);
}

/** The state that a log has come to. */
export async function foldLog(
  runId: string,
  events: AsyncIterable<AgentEvent>,
  vault: Pick<Vault, 'getJson'>,
): Promise<AgentState> {
  const state = newState(runId);
  for await (const event of events) {
    // They change nothing, and there are many.
    if (event.type === 'llm_response_delta') continue;
    const exact = { ts: event.ts, type: event.type, data: exactData(event, vault) } as ExactEvent;
    applyEvent(state, exact, Date.parse(event.ts));
  }
  return state;
}
