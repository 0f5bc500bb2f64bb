// `agent-steps-ai.mjs <folder of the package> <steps>`: the same run as agent-steps.ts on the loop of the AI SDK, which keeps no log.
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, steps] = process.argv.slice(2);
const count = Number(steps);
const resolve = (name) => pathToFileURL(createRequire(path.join(folder, 'package.json')).resolve(name)).href;
const { stepCountIs, streamText, tool } = await import(resolve('ai'));
const { z } = await import(resolve('zod'));

const RESULT = 'The result of a tool, as long as that of a small file. '.repeat(4);
const tokens = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 };
const usage = { inputTokens: tokens, outputTokens: { total: 0, text: 0, reasoning: 0 } };
let n = 0;

const model = {
  specificationVersion: 'v3',
  provider: 'scripted',
  modelId: 'scripted',
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error('streams only')),
  doStream: async () => {
    const isLast = n % (count + 1) === count;
    const id = `call_${n}`;
    const parts = [
      { type: 'stream-start', warnings: [] },
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: isLast ? 'Done.' : 'Let me look.' },
      { type: 'text-end', id: 't' },
      ...(isLast ? [] : [{ type: 'tool-call', toolCallId: id, toolName: 'look', input: JSON.stringify({ n }) }]),
      { type: 'finish', finishReason: { unified: isLast ? 'stop' : 'tool-calls', raw: undefined }, usage },
    ];
    n++;
    return { stream: ReadableStream.from(parts) };
  },
};

const look = tool({
  description: 'Looks something up.',
  inputSchema: z.object({ n: z.number().int() }),
  execute: async (input) => `${RESULT}${input.n}`,
});

async function once() {
  const result = streamText({ model, tools: { look }, stopWhen: stepCountIs(count + 1), prompt: 'Look everything up' });
  for await (const _ of result.fullStream);
  return (await result.steps).length;
}

await once();
const before = process.cpuUsage();
const done = await once();
const { user, system } = process.cpuUsage(before);
if (done !== count + 1) throw new Error(`${done} steps`);
console.log(JSON.stringify({ steps: done, cpuMs: (user + system) / 1000, rssMb: process.memoryUsage.rss() / 2 ** 20 }));
