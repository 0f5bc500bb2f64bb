// Replay: the same run again, from its log. Model, tools, clock and decisions come from there, so nothing is executed
// or sent, and every event must be the same, byte for byte.
// Fork: another run from the middle of one, in a folder with the files as they were there.
//
//   node examples/agent-replay.mjs

import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Agent, call, callbackApprover, scriptedModel } from 'tachograph/agent';

const folder = mkdtempSync(path.join(tmpdir(), 'agent-replay-'));
const approvals = callbackApprover(() => 'approved');
const model = scriptedModel([
  call('file_write', { path: 'draft.md', content: '# Draft\n' }),
  call('read_file', { path: 'draft.md' }),
  call('file_write', { path: 'draft.md', content: '# Final\n' }),
  'The text is in draft.md.',
]);
const agent = new Agent({ workspaceRoot: folder, model, approvals });

const run = agent.run('Write a text.');
const finished = [];
for await (const event of run) if (event.type === 'tool_call_finished') finished.push(event);
console.log((await run.result).status, show(folder));

const same = await agent.replay(run.id);
console.log(`replay: ${same.identical ? 'identical' : 'different'}, ${same.events} events`);

// What if the file had had another content? The first event that depends on it is named.
const [, read] = finished;
const changed = new Map([[read.seq, { ...read.data.result, stdout: '1\t# Another draft\n' }]]);
const other = await agent.replay(run.id, { results: changed });
console.log(`with another result: ${other.divergence.message}`);

// And what if the user had said something then? The fork has the draft, and continues with whatever model.
const fork = await agent.fork(run.id, { at: read.seq, into: `${folder}-fork`, send: 'In Latin, please.' });
console.log('fork:', show(fork.workspaceRoot));
const latin = new Agent({
  workspaceRoot: fork.workspaceRoot,
  model: scriptedModel([call('file_write', { path: 'draft.md', content: '# Finis\n' }), 'Factum est.']),
  approvals,
});
const result = await latin.resume(fork.runId).result;
console.log(result.output, show(fork.workspaceRoot), show(folder));

function show(workspaceRoot) {
  return readFileSync(path.join(workspaceRoot, 'draft.md'), 'utf8').trim();
}
