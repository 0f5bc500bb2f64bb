import { dropRequest } from './drop-request.ts';
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
  dropRequest(state);
}
