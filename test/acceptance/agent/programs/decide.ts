// Decides about an approval of a workspace, and prints the answer that counts, or the code of the error.
import { type ApprovalDecision, decideApproval } from '../../../../src/agent.ts';

const [workspace, id, decision] = process.argv.slice(2) as [string, string, ApprovalDecision];
try {
  console.log((await decideApproval(workspace, id, decision, { by: String(process.pid) })).decision);
} catch (error) {
  console.log((error as { code: string }).code);
}
