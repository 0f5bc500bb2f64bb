import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { Client } from '../../../src/client/index.ts';
import type { RunView } from '../../../src/protocol/index.ts';
import { projectRoot, temporaryFolder } from '../../support/tacho.ts';

export const SECRET = 'sesame-4711-open';

/** A program of a user, which runs an agent on the built package and waits before each of its steps. */
export interface OwnProgram {
  runId: string;
  locator: string;
  workspace: string;
  process: ChildProcess;
  /** Lets the agent take this step, and those before it. */
  allow(step: number): void;
  /** The result of its run. */
  ended: Promise<{ status: string }>;
  kill(): Promise<void>;
  /** Continues the run in another process. */
  resume(): Promise<OwnProgram>;
}

export async function startOwnProgram(
  home: string,
  { workspace = newWorkspace(), args = [] }: { workspace?: string; args?: string[] } = {},
): Promise<OwnProgram> {
  const file = fileURLToPath(new URL('./own-program.mjs', import.meta.url));
  const child = spawn(process.execPath, [file, projectRoot, home, workspace, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const next = async () => JSON.parse(String((await lines.next()).value));
  const { run_id: runId, locator } = (await next()) as { run_id: string; locator: string };
  const ended = next() as Promise<{ status: string }>;
  ended.catch(() => {});
  return {
    runId,
    locator,
    workspace,
    process: child,
    allow(step) {
      for (let one = 1; one <= step; one++) fs.writeFileSync(path.join(path.dirname(workspace), 'go', String(one)), '');
    },
    ended,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    resume: () => startOwnProgram(home, { workspace, args: ['resume', runId] }),
  };
}

function newWorkspace(): string {
  const workspace = path.join(temporaryFolder(), 'work');
  fs.mkdirSync(workspace);
  return fs.realpathSync(workspace);
}

/** The run that shows an agent's run, once there is one. */
export async function shownRun(client: Client, { runId }: Pick<OwnProgram, 'runId'>): Promise<RunView> {
  for (;;) {
    const { runs } = await client.listRuns({ engine: 'agent' });
    const found = runs.filter(({ session_id }) => session_id === runId);
    if (found.length > 1) throw new Error(`${runId} is listed ${found.length} times`);
    if (found[0]) return found[0];
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
