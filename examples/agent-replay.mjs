// Replay: the same run again, from its log. Model, tools, clock and decisions come from there, so nothing is executed
// or sent, and every event must be the same, byte for byte.
//
//   node examples/agent-replay.mjs

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Agent, call, callbackApprover, scriptedModel } from 'tachograph/agent';

const workspaceRoot = mkdtempSync(path.join(tmpdir(), 'agent-replay-'));
const model = scriptedModel([
  call('file_write', { path: 'draft.md', content: '# Draft\n' }),
  call('read_file', { path: 'draft.md' }),
  'The draft is in draft.md.',
]);
const agent = new Agent({ workspaceRoot, model, approvals: callbackApprover(() => 'approved') });

const run = agent.run('Write a draft.');
const finished = [];
for await (const event of run) if (event.type === 'tool_call_finished') finished.push(event);
console.log((await run.result).status);

const same = await agent.replay(run.id);
console.log(`replay: ${same.identical ? 'identical' : 'different'}, ${same.events} events`);

// What if the file had had another content? The first event that depends on it is named.
const [, read] = finished;
const changed = new Map([[read.seq, { ...read.data.result, stdout: '1\t# Another draft\n' }]]);
const other = await agent.replay(run.id, { results: changed });
console.log(`with another result: ${other.divergence.message}`);
