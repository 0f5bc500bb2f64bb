import type { Approver } from '../../approvals/index.ts';
import type { ToolApprovalAnswer } from '../../protocol/index.ts';
import { decisionsIn } from '../pending/run-decisions.ts';
import { runPaths, Vault } from '../wal/index.ts';

/**
 * Keeps requests in the folder of the run, where any process can decide, and waits for a decision. Once one did not come
 * in time, the run is about to end its turn: later requests are only looked up.
 */
export function waitingApprover({ workspaceRoot, waitMs }: { workspaceRoot: string; waitMs: number }): Approver {
  let isLate = false;
  return {
    async decide(request, signal) {
      const { folder, vault: file } = runPaths(workspaceRoot, request.run_id);
      const vault = Vault.openToRead(file);
      try {
        const { approvals } = decisionsIn(folder, { sign: (text) => vault.sign(text) });
        const { answer } = approvals.request(request);
        if (answer) return answer;
        const decided = isLate
          ? null
          : await inTime(waitMs, signal, (limit) => approvals.wait(request.approval_id, limit));
        isLate ||= decided === null;
        // One may have come at the last moment.
        return decided ?? approvals.get(request.approval_id).answer ?? 'later';
      } finally {
        vault.close();
      }
    },
  };
}

/** Null if there is no answer in time. Rejects with the reason of the signal. */
async function inTime(
  waitMs: number,
  signal: AbortSignal,
  wait: (limit: AbortSignal) => Promise<ToolApprovalAnswer>,
): Promise<ToolApprovalAnswer | null> {
  // Not AbortSignal.timeout: in Node 20 one that is only part of AbortSignal.any can be collected before its time.
  const limit = new AbortController();
  const onAbort = () => limit.abort(signal.reason);
  signal.addEventListener('abort', onAbort);
  const timer = setTimeout(() => limit.abort(), waitMs);
  try {
    signal.throwIfAborted();
    return await wait(limit.signal);
  } catch (error) {
    signal.throwIfAborted();
    if (limit.signal.aborted) return null;
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
