// Approvals: the policy asks before files are changed. Who decides, and when?
//
//   node examples/agent-approvals.mjs             asks on this terminal; without a terminal, a function decides
//   node examples/agent-approvals.mjs later       the run waits on disk; another process decides, and it continues

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  Agent,
  call,
  callbackApprover,
  decideApproval,
  pendingApprovals,
  scriptedModel,
  terminalApprover,
} from 'tachograph/agent';

const workspaceRoot = mkdtempSync(path.join(tmpdir(), 'agent-approvals-'));
let printed = 0;

if (process.argv[2] === 'later') await decideLater();
else await decideNow();

async function decideNow() {
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
  const approver = isTerminal
    ? terminalApprover({ input: process.stdin, output: process.stdout })
    : callbackApprover(({ actions }) => (actions.every(isText) ? 'approved' : 'denied'));
  await print(createAgent(approver).run('Take notes.'));
}

async function decideLater() {
  const first = createAgent('later').run('Take notes.');
  await print(first);
  // The run is on disk now, and no process has it open. Tomorrow, in another process:
  for (;;) {
    const [pending] = await pendingApprovals(workspaceRoot);
    if (!pending) break;
    const { approval_id, summary, actions, digest } = pending.request;
    const decision = actions.every(isText) ? 'approved' : 'denied';
    // The digest says which call was shown. For any other one the decision does not count.
    await decideApproval(workspaceRoot, approval_id, decision, { digest, by: 'the night shift' });
    console.log(`${decision} later: ${path.basename(summary)}`);
    await print(createAgent('later').resume(first.id));
  }
}

/** Each process makes its own agent. With `position: 'prompt'` the script continues where the last process left it. */
function createAgent(approvals) {
  const script = [
    call('file_write', { path: 'notes.txt', content: 'hello\n' }),
    call('file_write', { path: '.npmrc', content: 'registry=https://example.com\n' }),
    'I wrote notes.txt, and could not write .npmrc.',
  ];
  return new Agent({ workspaceRoot, model: scriptedModel(script, { position: 'prompt' }), approvals });
}

function isText({ kind, path: name }) {
  return kind === 'write' && name.endsWith('.txt');
}

async function print(run) {
  for await (const { seq, type, data } of run) {
    if (seq <= printed) continue; // A resumed run begins with all of its earlier events.
    printed = seq;
    if (type === 'approval_requested') console.log(`? ${data.tool}: ${path.basename(data.summary)}`);
    if (type === 'approval_decided') console.log(`  ${data.decision} by ${data.by}`);
    if (type === 'run_waiting') console.log(`  waiting for ${data.approvals.length} approval`);
    if (type === 'run_completed') console.log(data.text);
  }
}
