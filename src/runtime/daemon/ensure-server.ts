import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { selfCommand } from '../../config/index.ts';
import { openRegularFile, pollUntil, readAt, takeFlock } from '../../files/index.ts';
import { TachoError } from '../../protocol/index.ts';
import { MARKER_VARIABLE } from '../../terminal/index.ts';
import type { Wire } from '../client/link.ts';
import { RuntimeClient } from '../client/runtime-client.ts';
import { connectSocket } from '../client/wires.ts';
import { refuseForeign } from './private-folder.ts';
import { type HeldFolder, locateRuntime, prepareRuntime, type RuntimeFolder } from './runtime-folder.ts';
import { readServerFile, type ServerFile } from './server-file.ts';

export interface EnsureOptions {
  workspace: string;
  /** The words that start tacho, to which `runtime serve --workspace …` is added; this installation when not given. */
  command?: readonly string[];
  /** Of a daemon that is started, and so of its sessions; ours when not given. */
  environment?: NodeJS.ProcessEnv;
  /** Said to a daemon that is started. */
  idleMs?: number | undefined;
}

const START_TIMEOUT_MS = 30_000;
const POLL_INTERVAL_MS = 20;
const LOG_TAIL = 2000;

/** A client of the daemon of the workspace, which is started when there is none; once, however many ask. */
export function ensureServer(options: EnsureOptions): RuntimeClient {
  return new RuntimeClient({ connect: () => connectOrStart(options) });
}

/** A client of the daemon that runs; null when none does. `patienceMs`: how long one that was lost is waited for. */
export async function findServer(
  workspace: string,
  options: { patienceMs?: number } = {},
): Promise<RuntimeClient | null> {
  const folder = locateRuntime(workspace);
  const found = await connect(folder);
  if (!found) return null;
  let first: Connection | null = found;
  const again = async (): Promise<Connection> => {
    const connection = first ?? (await connect(folder));
    first = null;
    if (connection) return connection;
    throw new TachoError('SERVER_UNREACHABLE', `no daemon serves ${folder.workspace}`);
  };
  return new RuntimeClient({ connect: again, ...options });
}

interface Connection {
  wire: Wire;
  secret: string;
}

/** One connection to that daemon, for whoever speaks to it in another way than our client. */
export async function connectOrStart(options: EnsureOptions): Promise<Connection> {
  const folder = locateRuntime(options.workspace);
  const held = prepareRuntime(folder);
  const deadline = performance.now() + START_TIMEOUT_MS;
  try {
    const connection = await pollUntil(
      async () => (await connect(folder)) ?? (await startAlone(folder, { ...options, held, deadline })),
      { everyMs: POLL_INTERVAL_MS, timeoutMs: START_TIMEOUT_MS },
    );
    if (connection) return connection;
    throw failure(folder, 'did not start in time');
  } finally {
    held.release();
  }
}

interface StartOptions extends EnsureOptions {
  held: HeldFolder;
  deadline: number;
}

/** Null when another client is starting it. */
async function startAlone(folder: RuntimeFolder, options: StartOptions): Promise<Connection | null> {
  const lock = takeFlock(options.held.startLock);
  if (!lock) return null;
  try {
    // Somebody may have started it since we looked.
    const found = await connect(folder);
    if (found) return found;
    const daemon = startDaemon(options);
    const look = async () => {
      const connection = await connect(folder);
      if (!connection && daemon.ended) throw failure(folder, `ended at once (${daemon.ended})`);
      return connection;
    };
    return await pollUntil(look, { everyMs: POLL_INTERVAL_MS, timeoutMs: options.deadline - performance.now() });
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
    // Between reading and connecting another daemon took over.
    wire.close();
    return null;
  } catch (error) {
    if (error instanceof TachoError && error.code === 'AUTH_FAILED') throw error;
    return null; // What is left of a daemon that was killed.
  }
}

function startDaemon({ command = selfCommand(), environment = process.env, idleMs, held }: StartOptions): {
  ended: string | null;
} {
  const [program, ...words] = command;
  const logs = [held.stdoutLog, held.stderrLog].map((file) => fs.openSync(file, 'w', 0o600));
  const idle = idleMs === undefined ? [] : ['--idle', `${idleMs}ms`];
  // Whoever starts it may itself be in a session; the daemon is not of that one.
  const { [MARKER_VARIABLE]: _, ...env } = environment;
  const child = spawn(program!, [...words, 'runtime', 'serve', '--workspace', held.workspace, ...idle], {
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

function failure(folder: RuntimeFolder, what: string): TachoError {
  const log = readTail(folder.stderrLog);
  return new TachoError('SERVER_UNREACHABLE', `the daemon of ${folder.workspace} ${what}${log && `: ${log}`}`, {
    facts: { log: folder.stderrLog },
    fix: `Its last words are in ${folder.stderrLog}`,
  });
}

/** The end of a log in the workspace, where any program can write; empty when it cannot be read. */
function readTail(file: string): string {
  let fd: number;
  try {
    fd = openRegularFile(file);
  } catch {
    return '';
  }
  try {
    const { size } = fs.fstatSync(fd);
    return readAt(fd, Math.max(0, size - LOG_TAIL), LOG_TAIL)
      .toString('utf8')
      .trim();
  } finally {
    fs.closeSync(fd);
  }
}
