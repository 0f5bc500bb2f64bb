// Starts or resumes a run that spawns a child, waits for it and uses its answer; prints the result. The child is resumed
// if its process died.
import {
  Agent,
  builtinTools,
  call,
  createPolicy,
  type ModelRequest,
  type ScriptStep,
  say,
  scriptedModel,
} from '../../../../src/agent.ts';
import { workspaceRuntime } from '../../../../src/runtime.ts';

const [how, workspaceRoot, home, tacho, runId] = process.argv.slice(2) as ['start' | 'resume', ...string[]];
const AGENT_TOOLS = ['spawn_agent', 'wait', 'resume_agent'];
const AGENT = /(\S+-c[0-9a-f]{8}): (\w+)\n?([\s\S]*)/;

function nextTurn({ prompt }: ModelRequest): ScriptStep {
  const results = prompt.flatMap((message) => {
    if (message.role !== 'tool') return [];
    return message.content.flatMap((part) => (part.type === 'tool-result' ? [textOf(part.output)] : []));
  });
  const known = results.map((text) => AGENT.exec(text)).filter((match) => match !== null);
  const [, agent_id, status, text] = known.at(-1) ?? [];
  const id = `${results.length}`;
  if (agent_id === undefined) return call('spawn_agent', { task: 'Append two lines.' }, { id: 'spawn' });
  if (status === 'completed') return say(`The child says: ${text!.trim()}`);
  if (status === 'interrupted') return call('resume_agent', { agent_id }, { id });
  return call('wait', { agent_ids: [agent_id], timeout_ms: 30_000 }, { id });
}

function textOf(output: unknown): string {
  return (output as { value?: string }).value ?? '';
}

const agent = new Agent({
  workspaceRoot: workspaceRoot!,
  model: scriptedModel(nextTurn),
  // The child gets tools of its parent only.
  tools: builtinTools({ names: [...AGENT_TOOLS, 'shell_command', 'file_read'], runtime: true }),
  policy: await createPolicy({ workspaceRoot: workspaceRoot!, rules: [] }),
  sandbox: { profile: 'none' },
  runtime: workspaceRuntime({
    workspaceRoot: workspaceRoot!,
    home,
    env: { PATH: process.env.PATH! },
    daemon: { command: [process.execPath, tacho!], idleMs: 60_000 },
  }),
});
const run = how === 'start' ? agent.run('Let a child append two lines.', { runId: runId! }) : agent.resume(runId!);
try {
  console.log(JSON.stringify(await run.result));
} catch (error) {
  const { code, message } = error as { code?: string; message: string };
  console.log(JSON.stringify({ status: 'error', code, message }));
}
