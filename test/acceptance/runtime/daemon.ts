import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { isFlocked } from '../../../src/files/index.ts';
import { ensureServer, type RuntimeClient } from '../../../src/runtime/index.ts';
import { removeFolder, signalIfThere, tachoCommand, temporaryFolder } from '../../support/tacho.ts';
import { isRunning, until } from '../../terminal/run-terminal.ts';
import { type RuntimeUnderTest, runtimeInProcess } from './runtime.ts';

/** The built command; `TACHO_TEST_CLI` selects another build to test. */
export const command = [process.execPath, process.env.TACHO_TEST_CLI ?? tachoCommand];

export interface DaemonUnderTest {
  workspace: string;
  folder: string;
  /** A new client, which starts the daemon if necessary. */
  client(options?: { idleMs?: number }): RuntimeClient;
  serverFile(): { pid: number; secret: string; socket_path: string };
  /** Kills the daemon with kill -9. */
  crash(): Promise<void>;
}

/** A workspace and its daemon, for all tests of a file. */
export function sharedDaemon(env: Record<string, string> = {}): DaemonUnderTest {
  const workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-test-'));
  afterAll(() => removeFolder(workspace));
  return daemonOf(workspace, env, afterAll);
}

/** A workspace and its daemon; both are removed when the test ends. */
export function daemonOf(
  workspace = temporaryFolder(),
  env: Record<string, string> = {},
  whenDone: (end: () => Promise<void>) => void = onTestFinished,
): DaemonUnderTest {
  const folder = path.join(workspace, '.tacho', 'runtime');
  const clients: RuntimeClient[] = [];
  const serverFile = () => JSON.parse(fs.readFileSync(path.join(folder, 'server.json'), 'utf8'));
  /** Null when the daemon has ended, or is ending, by itself. */
  const announcedPid = (): number | null => {
    try {
      return serverFile().pid;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  };
  const crash = async () => {
    const { pid } = serverFile();
    process.kill(pid, 'SIGKILL');
    await until(() => !isRunning(pid), 'the daemon is gone');
  };
  whenDone(async () => {
    for (const client of clients) client.close();
    // A client whose call was interrupted by a crash may be starting the next daemon.
    await until(() => !isFlocked(path.join(folder, 'start.lock')), 'no daemon is being started');
    const pid = announcedPid();
    if (pid === null || !isRunning(pid)) return;
    signalIfThere(pid, 'SIGTERM');
    await until(() => !isRunning(pid), 'the daemon has ended');
  });
  return {
    workspace,
    folder,
    serverFile,
    crash,
    client: ({ idleMs = 60_000 } = {}) => {
      const environment = { ...process.env, ...env };
      const client = ensureServer({ workspace, command, environment, idleMs });
      clients.push(client);
      return client;
    },
  };
}

/**
 * The ways to reach a runtime: sessions in this process, and sessions of a real daemon over its socket. All tests of a
 * file share the daemon; each test has its own folder.
 */
export function waysToRuntime(): (readonly [string, () => RuntimeUnderTest])[] {
  const workspace = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-test-')));
  let client: RuntimeClient | null = null;
  afterAll(async () => {
    await client?.call('runtime.shutdown', {});
    client?.close();
    await until(() => !fs.existsSync(path.join(workspace, '.tacho/runtime/runtime.sock')), 'the daemon has ended');
    removeFolder(workspace);
  });
  const overSocket = (): RuntimeUnderTest => {
    const cwd = fs.mkdtempSync(path.join(workspace, 'test-'));
    client ??= ensureServer({ workspace, command, environment: process.env, idleMs: 60_000 });
    const through = client;
    return {
      workspace: cwd,
      call: (method, params, take) => {
        const starts = method === 'session.create' || (method.startsWith('exec.') && 'argv' in params);
        return through.call(method, starts ? { cwd, ...params } : params, take);
      },
    };
  };
  return [
    ['in this process', runtimeInProcess],
    ['over the socket', overSocket],
  ];
}

export function startTacho(
  args: readonly string[],
  options: { uid?: number; gid?: number; cwd?: string; env?: Record<string, string> } = {},
): ChildProcess {
  const [program, ...words] = command;
  const { env, ...more } = options;
  return spawn(program!, [...words, ...args], { ...more, env: { ...process.env, NO_COLOR: '1', ...env } });
}
