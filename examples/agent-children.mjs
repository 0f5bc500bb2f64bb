// An agent that gives parts of its work to child agents: two look at a folder each, beside each other, and their parent
// puts the answers together. All runs share the budgets of the first. The models are scripted, so no key is needed.
//
//   node examples/agent-children.mjs

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Agent, call, inProcessAgents, listAgentRuns, scriptedModel } from 'tachograph/agent';

const workspaceRoot = mkdtempSync(path.join(tmpdir(), 'agent-children-'));
for (const name of ['client', 'server']) {
  mkdirSync(path.join(workspaceRoot, name));
  writeFileSync(path.join(workspaceRoot, name, 'index.js'), '');
}

/** The ids of the children, as the tool `spawn_agent` has returned them. */
const childrenIn = ({ prompt }) => [...new Set(JSON.stringify(prompt).match(/run-[0-9a-f]+-c[0-9a-f]{8}/g))];

const child = ({ task }) => ({
  workspaceRoot,
  model: scriptedModel([call('list_dir', { path: task.split(' ').at(-1) }), `Looked at: ${task}`]),
});
const turns = [
  () => [call('spawn_agent', { task: 'List client' }), call('spawn_agent', { task: 'List server' })],
  (request) => call('wait', { agent_ids: childrenIn(request).slice(0, 1) }),
  (request) => call('wait', { agent_ids: childrenIn(request).slice(1) }),
  () => 'Both folders have an index.js.',
];
const agent = new Agent({
  workspaceRoot,
  model: scriptedModel((request, turn) => turns[turn](request)),
  runtime: inProcessAgents({ workspaceRoot, agent: child }),
  budgets: { max_steps: 20 },
});

const { status, text } = await agent.run('What is in client and server?').result;
console.log(`${status}: ${text}`);
const runs = await listAgentRuns(workspaceRoot);
console.log(`${runs.length} runs, each with its own log, in ${workspaceRoot}`);
