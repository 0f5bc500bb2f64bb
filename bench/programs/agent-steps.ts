import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type * as library from '../../src/agent.ts';
import type * as testkit from '../../src/agent-testkit.ts';

/**
 * `agent-steps.ts <dist> <steps> [effects] [keep]`, with the built library: a run of as many steps, each with one response of a scripted model and one
 * tool call, on a full log. With `effects`, the tool has effects, so each call is on the disk before it begins. Prints
 * processor time, duration and memory; with `keep`, leaves the workspace and prints its path.
 */
const [dist = '', steps, ...flags] = process.argv.slice(2);
const { Agent, createPolicy, tool }: typeof library = await import(`${dist}/agent.js`);
const { call, say, scriptedModel }: typeof testkit = await import(`${dist}/agent-testkit.js`);
const count = Number(steps);
const hasEffects = flags.includes('effects');
const RESULT = 'The result of a tool, as long as that of a small file. '.repeat(4);

const workspaceRoot = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-bench-agent-'));
const look = tool({
  name: 'look',
  description: 'Looks something up.',
  input: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
  concurrency: 'shared',
  hasEffects,
  // As a tool that writes files does: what it changes is known, so the workspace is not searched for changes.
  actions: () => (hasEffects ? [{ kind: 'write', path: path.join(workspaceRoot, 'out') }] : []),
  execute: (input) => `${RESULT}${(input as { n: number }).n}`,
});
const rules = [{ decision: 'allow' as const, tool: 'look' }];
const agent = new Agent({
  workspaceRoot,
  model: scriptedModel((_, n) => (n % (count + 1) < count ? [say('Let me look.'), call('look', { n })] : say('Done.'))),
  tools: [look],
  policy: await createPolicy({ workspaceRoot, rules }),
  sandbox: { profile: 'none' },
  budgets: { max_steps: null },
});

// Code is loaded and compiled before it is measured, as that of the peers is.
await agent.run('Warm up').result.catch(() => null);
const before = process.cpuUsage();
const start = performance.now();
const run = agent.run('Look everything up');
const result = await run.result;
const ms = performance.now() - start;
const { user, system } = process.cpuUsage(before);
if (result.status !== 'completed') throw new Error(JSON.stringify(result));
const kept = flags.includes('keep') ? { workspaceRoot, runId: run.id } : {};
if (!flags.includes('keep')) fs.rmSync(workspaceRoot, { recursive: true });
process.stdout.write(
  `${JSON.stringify({ steps: result.steps, cpuMs: (user + system) / 1000, ms, rssMb: process.memoryUsage.rss() / 2 ** 20, ...kept })}\n`,
);
