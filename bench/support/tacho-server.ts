import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const tacho = path.join(path.dirname(path.dirname(import.meta.dirname)), 'bin', 'tacho');

/** `tacho start` in a separate process, with a separate data folder. */
export interface TachoServer {
  url: string;
  token: string;
  headers: Record<string, string>;
  /** Its data folder. */
  folder: string;
  pid: number;
  /** From the start of the process to its ready line. */
  readyMs: number;
  /** Starts an engine with a prompt; returns the run's id. */
  startRun(engine: string): Promise<string>;
  stop(): Promise<void>;
}

export async function startTacho({ searchPath = '' } = {}): Promise<TachoServer> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-bench-'));
  const begun = performance.now();
  const child = spawn(process.execPath, [tacho, 'start', '--port', '0', '--json', '--data', folder], {
    cwd: folder,
    env: { ...process.env, TACHO_HOME: folder, PATH: `${searchPath}:${process.env.PATH}` },
    stdio: ['ignore', 'pipe', 2],
  });
  const { url, token } = JSON.parse(await firstLine(child)) as { url: string; token: string };
  const readyMs = performance.now() - begun;
  const headers = { authorization: `Bearer ${token}` };
  return {
    url,
    token,
    headers,
    folder,
    pid: child.pid!,
    readyMs,
    async startRun(engine) {
      const response = await fetch(`${url}/v1/runs`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ engine, prompt: 'go' }),
      });
      const answer = (await response.json()) as { run_id?: string };
      if (answer.run_id === undefined) throw new Error(`the run was refused: ${JSON.stringify(answer)}`);
      return answer.run_id;
    },
    async stop() {
      await end(child);
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.once('exit', (code) => reject(new Error(`it exited with ${code} before it was ready`)));
    child.stdout!.on('data', (bytes: Buffer) => {
      text += bytes.toString();
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
  });
}

export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await new Promise((resolve) => child.once('exit', resolve));
}

export function residentMegabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1000;
}
