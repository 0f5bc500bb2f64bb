import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureServer } from '../../src/runtime/index.ts';

const root = path.dirname(path.dirname(import.meta.dirname));
/** Of the kernel, in all that it reports. */
const TICKS_PER_SECOND = 100;

export interface ChildSteps {
  /** Processor time of the agents and of the daemon, per step of an agent. */
  cpuMsPerStep: number;
  /** Of each agent, after its last step. */
  rssMb: number;
}

/**
 * Lets as many child agents take as many steps each, at the same time, in the daemon of a workspace. What is measured
 * begins when all of them have started and ends when all have taken their steps: each waits for a file before and after.
 */
export async function measureChildSteps({ agents, steps }: { agents: number; steps: number }): Promise<ChildSteps> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-bench-children-'));
  const [home, workspace] = ['home', 'work'].map((name) => path.join(folder, name)) as [string, string];
  for (const made of [home, workspace]) fs.mkdirSync(made);
  fs.writeFileSync(path.join(home, 'config.yaml'), CONFIG);
  fs.writeFileSync(path.join(workspace, 'script.json'), JSON.stringify(scriptOf(steps)));
  const environment = { ...process.env, TACHO_HOME: home };
  const client = ensureServer({ workspace, command: [process.execPath, path.join(root, 'bin/tacho')], environment });
  try {
    const ids = Array.from({ length: agents }, (_, n) => `run-${n}`);
    await Promise.all(ids.map((agent_id) => client.call('agent.spawn', { agent_id, task: 'Plan it.' })));
    const isAnyOver = async () => {
      const { agents: now } = await client.call('agent.wait', { agent_ids: ids, timeout_ms: 0 });
      const over = now.find(({ status }) => status !== 'running');
      if (over) throw new Error(`${over.agent_id} is ${over.status}: ${over.text}`);
    };
    await untilAll(workspace, 'first', agents, isAnyOver);
    const { pid: daemon } = await client.call('runtime.status', {});
    const pids = [daemon, ...agentPids(workspace)];
    const before = cpuMs(pids);
    fs.writeFileSync(path.join(workspace, 'first.go'), '');
    await untilAll(workspace, 'last', agents, isAnyOver);
    const used = cpuMs(pids) - before;
    const rss = pids.slice(1).map(rssMb);
    fs.writeFileSync(path.join(workspace, 'last.go'), '');
    return { cpuMsPerStep: used / (agents * steps), rssMb: rss.reduce((sum, one) => sum + one, 0) / rss.length };
  } finally {
    // Waits until the agents have left their folders.
    await client.call('runtime.cleanup', {}).catch(() => {});
    await client.call('runtime.shutdown', {}).catch(() => {});
    client.close();
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

const CONFIG = `llm: { provider: scripted }
models: { executor: script.json }
# A script counts the answers in the prompt: none of them may leave it.
prompt: { history_max_messages: 60000, history_max_chars: 100000000 }
sandbox: { profile: none }
safety: { write: allow, command: allow, max_steps: null }
runtime: { max_agents: 64 }
`;

function scriptOf(steps: number): unknown[] {
  const wait = (name: string) => ({
    type: 'call',
    name: 'shell_command',
    arguments: { command: `touch ${name}.$$; until [ -e ${name}.go ]; do sleep 0.1; done`, timeout_ms: 3_600_000 },
  });
  const plan = Array.from({ length: steps }, (_, n) => ({
    type: 'call',
    name: 'update_plan',
    arguments: { plan: [{ step: `Part ${n} of a longer task`, status: 'in_progress' }] },
  }));
  return [wait('first'), ...plan, wait('last'), 'Done.'];
}

async function untilAll(workspace: string, name: string, count: number, check: () => Promise<void>): Promise<void> {
  const there = () => fs.readdirSync(workspace).filter((file) => new RegExp(`^${name}\\.\\d+$`).test(file)).length;
  while (there() < count) {
    await check();
    await sleep(200);
  }
}

function agentPids(workspace: string): number[] {
  const lines = fs.readFileSync(path.join(workspace, '.tacho/runtime/exec_registry.json'), 'utf8').trim().split('\n');
  const entries = lines.map((line) => JSON.parse(line) as { runs?: { session_id: string; pid: number | null } });
  const pids = new Map(entries.flatMap(({ runs }) => (runs?.pid ? [[runs.session_id, runs.pid]] : [])));
  return [...pids.values()];
}

function cpuMs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return sum + ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
  }, 0);
}

function rssMb(pid: number): number {
  const [, pages] = fs.readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
  return (Number(pages) * 4096) / 2 ** 20;
}
