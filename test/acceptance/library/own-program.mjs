// A program of a user that runs an agent on the built package: node own-program.mjs <package> <data> <workspace> [resume <run>]
// It waits before each step until a file of that number is in the folder `go` beside the workspace.
import fs from 'node:fs';
import path from 'node:path';

const [packageFolder, dataFolder, workspaceRoot, how, runId] = process.argv.slice(2);
const { Agent, builtinTools, call, callbackApprover, scriptedModel, tool } = await import(
  path.join(packageFolder, 'dist/agent.js')
);

const SECRET = 'sesame-4711-open';
const gate = path.join(path.dirname(workspaceRoot), 'go');
fs.mkdirSync(gate, { recursive: true });

async function untilAllowed(step) {
  while (!fs.existsSync(path.join(gate, String(step)))) await new Promise((resolve) => setTimeout(resolve, 20));
}

const usage = { input_tokens: 100, output_tokens: 20, total_tokens: 120 };
const TURNS = [
  [
    { type: 'text', text: `I begin, and keep ${SECRET} to myself.` },
    call('update_plan', {
      plan: [
        { step: 'Look', status: 'completed' },
        { step: 'Write', status: 'in_progress' },
      ],
    }),
    call('look', { key: SECRET }),
  ],
  [call('file_write', { path: 'notes.txt', content: `${SECRET}\n` })],
  [call('file_write', { path: 'more.txt', content: 'more\n' })],
];

const model = scriptedModel(
  async ({ prompt }) => {
    const answers = prompt.filter(({ role }) => role === 'assistant').length;
    await untilAllowed(answers + 1);
    const turn = TURNS[answers];
    if (!turn)
      return [
        { type: 'text', text: 'All is written.' },
        { type: 'finish', usage },
      ];
    return [...turn, { type: 'finish', reason: 'tool_calls', usage }];
  },
  { id: 'scripted:own-program' },
);

const look = tool({
  name: 'look',
  description: 'Looks around.',
  input: { type: 'object' },
  hasEffects: false,
  execute: () => `found ${SECRET}`,
});

const agent = new Agent({
  workspaceRoot,
  model,
  tools: [look, ...builtinTools({ names: ['file_write', 'update_plan'] })],
  // Asks no one here: whoever decides first elsewhere does.
  approvals: callbackApprover(() => new Promise(() => setInterval(() => {}, 60_000))),
  sandbox: { profile: 'none' },
  budgets: { max_steps: 20 },
  prompt: { developer: `Never say ${SECRET}.` },
  secrets: [{ name: 'TOKEN', value: SECRET }],
  register: { dataFolder },
});

const run = how === 'resume' ? agent.resume(runId) : agent.run(`Write notes with ${SECRET}.`);
process.stdout.write(`${JSON.stringify({ run_id: run.id, locator: run.locator })}\n`);
const { status } = await run.result;
process.stdout.write(`${JSON.stringify({ status })}\n`);
process.exit(0);
