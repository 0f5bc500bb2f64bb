import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { selfCommand } from '../../config/index.ts';
import { pollUntil, takeFlock } from '../../files/index.ts';
import { TachoError } from '../../protocol/index.ts';
import { MARKER_VARIABLE } from '../../terminal/index.ts';
import type { Wire } from '../client/link.ts';
import { RuntimeClient } from '../client/runtime-client.ts';
import { connectSocket } from '../client/wires.ts';
import { refuseForeign } from './private-folder.ts';
import { type HeldFolder, locateRuntime, prepareRuntime, type RuntimeFolder } from './runtime-folder.ts';
import { readServerFile, type ServerFile } from './server-file.ts';
import { startFailure } from './start-failure.ts';

export interface EnsureOptions {
  workspace: string;
  /** The command that starts tacho, to which `runtime serve --workspace …` is added; by default this installation. */
  command?: readonly string[];
  /** Environment of a daemon that is started, and so of its sessions; by default ours. */
  environment?: NodeJS.ProcessEnv;
  /** Passed to a daemon that is started. */
  idleMs?: number | undefined;
}

const START_TIMEOUT_MS = 30_000;
const POLL_INTERVAL_MS = 20;

/** A client of the workspace's daemon, which is started if there is none; once, even with concurrent calls. */
export function ensureServer(options: EnsureOptions): RuntimeClient {
  return new RuntimeClient({ connect: () => connectOrStart(options) });
}

/** A client of the running daemon; null if there is none. `reconnectMs`: how long to retry a lost connection. */
export async function findServer(
  workspace: string,
  options: { reconnectMs?: number } = {},
): Promise<RuntimeClient | null> {
  const found = await connect(locateRuntime(workspace));
  if (!found) return null;
  let first: Connection | null = found;
  const again = async (): Promise<Connection> => {
    const connection = first ?? (await connectRunning(workspace));
    first = null;
    return connection;
  };
  return new RuntimeClient({ connect: again, ...options });
}

export interface Connection {
  wire: Wire;
  secret: string;
}

/** One connection to the running daemon. */
export async function connectRunning(workspace: string): Promise<Connection> {
  const folder = locateRuntime(workspace);
  const connection = await connect(folder);
  if (connection) return connection;
  throw new TachoError('SERVER_UNREACHABLE', `no daemon serves ${folder.workspace}`);
}

/** One connection to that daemon, for callers that do not use our client. */
export async function connectOrStart(options: EnsureOptions): Promise<Connection> {
  const folder = locateRuntime(options.workspace);
  const held = prepareRuntime(folder);
  const deadline = performance.now() + START_TIMEOUT_MS;
  try {
    const connection = await pollUntil(
      async () => (await connect(folder)) ?? (await startLocked(folder, { ...options, held, deadline })),
      { everyMs: POLL_INTERVAL_MS, timeoutMs: START_TIMEOUT_MS },
    );
    if (connection) return connection;
    throw startFailure(folder, 'did not start in time');
  } finally {
    held.release();
  }
}

interface StartOptions extends EnsureOptions {
  held: HeldFolder;
  deadline: number;
}

/** Null if another client is starting it. */
async function startLocked(folder: RuntimeFolder, options: StartOptions): Promise<Connection | null> {
  const lock = takeFlock(options.held.startLock);
  if (!lock) return null;
  try {
    // Another client may have started it meanwhile.
    const found = await connect(folder);
    if (found) return found;
    const daemon = startDaemon(options);
    const tryConnect = async () => {
      const connection = await connect(folder);
      if (!connection && daemon.ended) throw startFailure(folder, `exited immediately (${daemon.ended})`);
      return connection;
    };
    return await pollUntil(tryConnect, { everyMs: POLL_INTERVAL_MS, timeoutMs: options.deadline - performance.now() });
  } finally {
    lock.release();
  }
}

async function connect(folder: RuntimeFolder): Promise<Connection | null> {
  const server: ServerFile | null = readServerFile(folder);
  if (!server) return null;
  try {
    refuseForeign(folder.serverFile);
    refuseForeign(server.socket_path);
    const wire = await connectSocket(server.socket_path);
    if (readServerFile(folder)?.secret === server.secret) return { wire, secret: server.secret };
    // Another daemon took over between reading and connecting.
    wire.close();
    return null;
  } catch (error) {
    if (error instanceof TachoError && error.code === 'AUTH_FAILED') throw error;
    return null; // The file of a killed daemon.
  }
}

function startDaemon({ command = selfCommand(), environment = process.env, idleMs, held }: StartOptions): {
  ended: string | null;
} {
  const [program, ...words] = command;
  const logs = [held.stdoutLog, held.stderrLog].map((file) => fs.openSync(file, 'w', 0o600));
  const idle = idleMs === undefined ? [] : ['--idle', `${idleMs}ms`];
  // The caller may itself run in a session, to which the daemon does not belong.
  const { [MARKER_VARIABLE]: _, ...env } = environment;
  const child = spawn(program!, [...words, 'runtime', 'serve', '--workspace', held.workspace, '--json', ...idle], {
    detached: true,
    stdio: ['ignore', logs[0], logs[1]],
    cwd: '/',
    env,
  });
  for (const fd of logs) fs.closeSync(fd!);
  const state: { ended: string | null } = { ended: null };
  child.on('error', (error) => (state.ended = error.message));
  child.on('exit', (code, signal) => (state.ended = `${signal ?? `exit code ${code}`}`));
  child.unref();
  return state;
}
