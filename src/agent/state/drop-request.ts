import type { AgentState } from './state.ts';

/** Gives up the request to the model that is under way, if there is one: the same step begins again, with a new prompt. */
export function dropRequest(state: AgentState): void {
  if (!state.request) return;
  if (state.overflow || state.request.compacted) {
    state.request = { ...state.request, tries: 0, isOpen: false };
    return;
  }
  state.step--;
  state.request = null;
}
