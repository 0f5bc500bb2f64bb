// A coding agent: it reads a project, changes it and runs its tests. Commands run in a sandbox.
//
//   node examples/agent-coding.mjs                                    a scripted model repairs a small project
//   MODEL=qwen3-coder BASE_URL=http://127.0.0.1:8000/v1 API_KEY=… \
//     node examples/agent-coding.mjs "fix the failing test"           a real one works in the current folder

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Agent, call, callbackApprover, createPolicy, openaiCompatible, scriptedModel } from 'tachograph/agent';

const { MODEL, BASE_URL, API_KEY } = process.env;
const [task = 'The test fails. Repair it.'] = process.argv.slice(2);
const workspaceRoot = MODEL ? process.cwd() : smallProject();
const model = MODEL
  ? openaiCompatible({ baseURL: BASE_URL, model: MODEL, apiKey: API_KEY })
  : scriptedModel([
      [call('read_file', { path: 'sum.js' }), call('read_file', { path: 'sum.test.js' })],
      call('apply_patch', { patch: '*** Begin Patch\n*** Update File: sum.js\n-a - b\n+a + b\n*** End Patch' }),
      call('file_write', { path: 'sum.js', content: 'export const sum = (a, b) => a + b;\n' }),
      call('shell_command', { command: 'node --test' }),
      'sum subtracted. It adds now, and the test passes.',
    ]);

const agent = new Agent({
  workspaceRoot,
  model,
  // Reading is always allowed. Files of the workspace may be changed, and the tests may run; the rest is asked about.
  policy: await createPolicy({
    workspaceRoot,
    defaults: { write: 'allow' },
    rules: [{ decision: 'allow', command: ['node', '--test'], match: ['node --test sum.test.js'] }],
  }),
  approvals: callbackApprover(({ summary }) => {
    console.log(`✗ ${summary}`);
    return 'denied';
  }),
  budgets: { max_steps: 50, max_wall_ms: 600_000 },
});

const run = agent.run(task);
for await (const { type, data } of run) {
  if (type === 'tool_call_requested') {
    const { path: file, command } = data.arguments;
    console.log(`⚙ ${data.name} ${file ?? command ?? ''}`);
  }
  if (type === 'tool_call_finished') {
    // The model reads the same error, and corrects its call.
    const { ok, error_kind, stderr } = data.result;
    if (!ok) console.log(`  ${error_kind}: ${stderr.split('\n')[0]}`);
  }
  if (type === 'run_completed') console.log(data.text);
}
const { status, steps } = await run.result;
console.log(`${status} after ${steps} steps; tacho agent show ${run.id} -C ${workspaceRoot}`);

function smallProject() {
  const folder = mkdtempSync(path.join(tmpdir(), 'agent-coding-'));
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }\n');
  writeFileSync(path.join(folder, 'sum.js'), 'export const sum = (a, b) => a - b;\n');
  writeFileSync(
    path.join(folder, 'sum.test.js'),
    "import { test } from 'node:test';\nimport { sum } from './sum.js';\n" +
      "test('adds', (t) => t.assert.equal(sum(1, 2), 3));\n",
  );
  return folder;
}
