import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { type Installed, installPackage } from './install-package.ts';
import { end } from './tacho-server.ts';

const VERSION = '0.4.2';
export const SANDBOX_AGENT = `@sandbox-agent/cli ${VERSION}`;

export interface SandboxAgentServer {
  url: string;
  pid: number;
  /** From the start of the process to its first answer, since it prints nothing. */
  readyMs: number;
  /** Sends a request to its agent over the Agent Client Protocol; resolves with the answer. */
  ask(id: number, method: string, params: unknown): Promise<unknown>;
  /** The address of the agent's event stream; available after the first request. */
  stream: string;
  stop(): Promise<void>;
}

export function installSandboxAgent(): Installed {
  return installPackage('@sandbox-agent/cli', VERSION);
}

/**
 * Its `mock` agent has no program; as in the project's own tests, the given one takes its place. All its files go to a
 * temporary folder.
 */
export async function startSandboxAgent(installed: string, agent: readonly string[] = []): Promise<SandboxAgentServer> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-bench-'));
  const launchers = path.join(folder, 'sandbox-agent', 'bin', 'agent_processes');
  fs.mkdirSync(launchers, { recursive: true });
  const words = agent.map((word) => `'${word}'`).join(' ');
  fs.writeFileSync(path.join(launchers, 'mock-acp'), `#!/bin/sh\nexec ${words}\n`, { mode: 0o755 });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const begun = performance.now();
  // The program itself; the package's command only starts it, and would not forward signals.
  const child = spawn(nativeProgram(installed), ['server', '--no-telemetry', '--no-token', '--port', String(port)], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_STATE_HOME: folder },
    stdio: ['ignore', 'ignore', 2],
  });
  await answers(`${url}/v1/health`, child);
  const readyMs = performance.now() - begun;
  const stream = `${url}/v1/acp/bench`;
  return {
    url,
    pid: child.pid!,
    readyMs,
    stream,
    async ask(id, method, params) {
      const response = await fetch(`${stream}?agent=mock`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      });
      if (!response.ok) throw new Error(`${method} was answered with ${response.status}: ${await response.text()}`);
      return response.json();
    },
    async stop() {
      await end(child);
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

function nativeProgram(installed: string): string {
  const name = `cli-${process.platform}-${process.arch}`;
  const program = path.join(installed, 'node_modules', '@sandbox-agent', name, 'bin', 'sandbox-agent');
  // As its own command does: it is packaged without execute permission.
  fs.chmodSync(program, 0o755);
  return program;
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const answered = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (answered) return;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  throw new Error(`sandbox-agent exited with ${child.exitCode}`);
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
