// `agent-steps-pi.mjs <folder of the package> <steps>`: the same run as agent-steps.ts on pi-agent-core, which keeps no log.
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, steps] = process.argv.slice(2);
const count = Number(steps);
const resolve = (name) => pathToFileURL(path.join(folder, 'node_modules', name, 'dist', 'index.js')).href;
const { Agent } = await import(resolve('@earendil-works/pi-agent-core'));
const { createAssistantMessageEventStream, Type } = await import(resolve('@earendil-works/pi-ai'));

const RESULT = 'The result of a tool, as long as that of a small file. '.repeat(4);
const model = { id: 'scripted', name: 'scripted', api: 'scripted', provider: 'scripted', input: ['text'], cost: {} };
const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: { total: 0 } };
let n = 0;

function streamFn() {
  const stream = createAssistantMessageEventStream();
  const isLast = n % (count + 1) === count;
  const text = { type: 'text', text: isLast ? 'Done.' : 'Let me look.' };
  const call = { type: 'toolCall', id: `call_${n}`, name: 'look', arguments: { n } };
  n++;
  const content = isLast ? [text] : [text, call];
  const stopReason = isLast ? 'stop' : 'toolUse';
  const message = {
    role: 'assistant',
    content,
    api: 'scripted',
    provider: 'scripted',
    model: 'scripted',
    usage,
    stopReason,
    timestamp: 0,
  };
  stream.push({ type: 'start', partial: message });
  stream.push({ type: 'text_delta', contentIndex: 0, delta: text.text, partial: message });
  if (!isLast) stream.push({ type: 'toolcall_end', contentIndex: 1, toolCall: call, partial: message });
  stream.push({ type: 'done', reason: stopReason, message });
  return stream;
}

const look = {
  name: 'look',
  label: 'look',
  description: 'Looks something up.',
  parameters: Type.Object({ n: Type.Integer() }),
  execute: async (_, input) => ({ content: [{ type: 'text', text: `${RESULT}${input.n}` }], details: {} }),
};

async function once() {
  const agent = new Agent({ initialState: { systemPrompt: 'Help.', model, tools: [look] }, streamFn });
  await agent.prompt('Look everything up');
  return agent.state.messages.length;
}

await once();
const before = process.cpuUsage();
const messages = await once();
const { user, system } = process.cpuUsage(before);
if (messages < 2 * count) throw new Error(`only ${messages} messages`);
console.log(
  JSON.stringify({ steps: count + 1, cpuMs: (user + system) / 1000, rssMb: process.memoryUsage.rss() / 2 ** 20 }),
);
