import type { AgentState } from './state.ts';

/**
 * The run continues in another folder. What was said about a call counts for the folder it was said in, so calls without
 * a result are requested and approved anew; and the prompt names the folder, so it is compiled again.
 */
export function moveWorkspace(state: AgentState, workspace: string): void {
  if (workspace === state.workspace) return;
  state.workspace = workspace;
  state.head = null;
  state.digested = 0;
  state.sessionApprovals.clear();
  state.denials.clear();
  for (const call of state.turn) {
    if (call.result) continue;
    call.requested = null;
    call.changed = null;
    call.approval = null;
  }
  if (!state.request) return;
  if (state.overflow || state.request.compacted) {
    state.request = { ...state.request, tries: 0, isOpen: false };
    return;
  }
  // The same step again, with its new prompt.
  state.step--;
  state.request = null;
}
