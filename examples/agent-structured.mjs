// Structured output: the answer of a run is a value with a type, checked against a schema.
//
//   node examples/agent-structured.mjs

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Agent, builtinTools, call, scriptedModel } from 'tachograph/agent';
import * as z from 'zod';

const Review = z.strictObject({
  verdict: z.enum(['accept', 'change']),
  findings: z.array(z.strictObject({ file: z.string(), line: z.int().min(1), problem: z.string() })),
});

const workspaceRoot = mkdtempSync(path.join(tmpdir(), 'agent-structured-'));
writeFileSync(path.join(workspaceRoot, 'total.js'), 'export const total = (list) => list.reduce((a, b) => a + b);\n');

const model = scriptedModel([
  call('read_file', { path: 'total.js' }),
  // Models get schemas wrong now and then. This one gets the violations, once, and answers again.
  '{ "verdict": "reject", "findings": [] }',
  JSON.stringify({
    verdict: 'change',
    findings: [{ file: 'total.js', line: 1, problem: 'an empty list throws: reduce has no initial value' }],
  }),
]);

const agent = new Agent({
  workspaceRoot,
  model,
  tools: builtinTools({ names: ['list_dir', 'read_file', 'grep_files'] }), // It can read, and nothing else.
  output: Review,
  prompt: { template: 'plain', developer: 'Review the code. Report only what breaks.' },
});

const run = agent.run('Review total.js.');
for await (const { type, data } of run) {
  if (type === 'output_rejected') console.log(`rejected: ${data.violations.join('; ')}`);
}
const result = await run.result;
if (result.status === 'completed') {
  const { verdict, findings } = result.output; // In TypeScript: z.infer<typeof Review>
  console.log(verdict);
  for (const { file, line, problem } of findings) console.log(`${file}:${line}: ${problem}`);
} else {
  console.log(result.status, result.reason);
}
