import { ApprovalFolder } from '../../../src/approvals/decisions/approval-folder.ts';

/** Decides as soon as it is told to, and prints the answer that counts. */
const [folder, id, digest, by] = process.argv.slice(2) as [string, string, string, string];
const approvals = new ApprovalFolder(folder);
process.stdout.write('ready\n');
process.stdin.once('data', () => {
  const answer = approvals.decide(id, { decision: 'approved', reason: null, rule: null, by }, { digest });
  process.stdout.write(`${JSON.stringify(answer)}\n`);
  process.stdin.destroy();
});
