// A small agent with codex's arguments and output: asks a model server what to do, runs the commands it is told to, and
// keeps its sessions in its home.
//
//   codex-agent.mjs exec [resume] … base_url="<model server>" … -- [<session>] <prompt>

import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

const MAX_STEPS = 20;
const words = process.argv.slice(2);
const [, base] = /base_url="([^"]+)"/.exec(words.join(' '));
const resumed = words[1] === 'resume';
const session = resumed ? words.at(-2) : randomUUID();
const file = path.join(process.env.CODEX_HOME, `${session}.json`);
const messages = resumed ? JSON.parse(fs.readFileSync(file, 'utf8')) : [{ role: 'system', content: 'Use the shell.' }];
messages.push({ role: 'user', content: words.at(-1) });
const shell = {
  name: 'shell',
  parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
};

print({ type: 'thread.started', thread_id: session });
print({ type: 'turn.started' });
for (let step = 0; step < MAX_STEPS; step++) {
  const message = await ask();
  messages.push(message);
  if (message.content)
    print({ type: 'item.completed', item: { id: `m${step}`, type: 'agent_message', text: message.content } });
  if (!message.tool_calls) break;
  for (const call of message.tool_calls)
    messages.push({ role: 'tool', tool_call_id: call.id, content: run(call, step) });
}
fs.mkdirSync(path.dirname(file), { recursive: true });
fs.writeFileSync(file, JSON.stringify(messages));
print({ type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } });

async function ask() {
  const body = JSON.stringify({ model: 'demo', messages, tools: [{ type: 'function', function: shell }] });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${base}/chat/completions`, { method: 'POST', headers, body });
  return (await response.json()).choices[0].message;
}

function run({ function: { arguments: given } }, step) {
  const { command } = JSON.parse(given);
  const item = { id: `c${step}`, type: 'command_execution', command };
  print({ type: 'item.started', item: { ...item, status: 'in_progress', aggregated_output: '', exit_code: null } });
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
  const output = `${stdout}${stderr}`;
  print({
    type: 'item.completed',
    item: { ...item, status: 'completed', aggregated_output: output, exit_code: status },
  });
  return output;
}

function print(event) {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}
