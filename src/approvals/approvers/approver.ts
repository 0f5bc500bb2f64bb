import type { ToolApprovalAnswer, ToolApprovalRequest } from '../../protocol/index.ts';

/** Decides what a policy asks. `later`: the decision may come when this process is gone. */
export interface Approver {
  decide(request: ToolApprovalRequest, signal: AbortSignal): Promise<ToolApprovalAnswer | 'later'>;
}
