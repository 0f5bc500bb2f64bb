import fs from 'node:fs';
import {
  beforeFatalExit,
  createSecretCheck,
  every,
  type Flock,
  makeSecret,
  pollUntil,
  readProcessStat,
  takeFlock,
} from '../../files/index.ts';
import { TachoError } from '../../protocol/index.ts';
import { releasePlaces } from '../../sandbox/index.ts';
import { type OpenRecording, removeLeftGroups } from '../../terminal/index.ts';
import { createCall } from '../call-runtime.ts';
import { endAll, isInUse, openRuntime, type RuntimeOptions } from '../runtime.ts';
import type { RuntimeSettings } from '../session-defaults.ts';
import { type HttpOptions, listenHttp } from '../transports/http.ts';
import { listenUnix } from '../transports/unix.ts';
import { watchActivity } from './activity.ts';
import { announceDaemon, renewAnnouncement, withdrawDaemon } from './announcement.ts';
import { endOrphans } from './end-orphans.ts';
import { createRegistry, readRegistry } from './registry.ts';
import { type HeldFolder, prepareRuntime, type RuntimeFolder } from './runtime-folder.ts';
import { readServerFile, writeServerFile } from './server-file.ts';

export interface DaemonOptions {
  folder: RuntimeFolder;
  environment: NodeJS.ProcessEnv;
  settings: RuntimeSettings;
  version: string;
  /** How long it keeps running without sessions and calls. */
  idleMs: number;
  /** Resolves when the daemon must stop. */
  stopRequested: Promise<void>;
  openRecording?: OpenRecording | undefined;
  guarded?: RuntimeOptions['guarded'];
  /** A folder in which the daemon announces itself. */
  announceIn?: string | undefined;
  /** Also serves over HTTP. */
  http?: Pick<HttpOptions, 'host' | 'port' | 'token'> | undefined;
  onReady?: (reached: { url: string | null }) => void;
}

const LOCK_TIMEOUT_MS = 10_000;
const POLL_INTERVAL_MS = 1000;
const CLOSE_GRACE_MS = 2000;

/** Serves the workspace until it is stopped, has been idle, or its folder was removed. */
export async function runDaemon(options: DaemonOptions): Promise<void> {
  const held = prepareRuntime(options.folder);
  let lock: Flock | null = null;
  try {
    lock = await takeOver(held);
    const left = readRegistry(held.registry);
    await endOrphans(left);
    releasePlaces(left.flatMap(({ sandbox_files }) => sandbox_files));
    await removeLeftGroups();
    await serve(options, held);
  } finally {
    lock?.release();
    held.release();
  }
}

async function serve(options: DaemonOptions, held: HeldFolder): Promise<void> {
  const { folder, environment, version, idleMs, openRecording, announceIn, settings } = options;
  const end = promiseOfEnd();
  void options.stopRequested.then(end.now);
  const registry = createRegistry(held.registry, folder.registry);
  const runtime = openRuntime({
    workspace: folder.workspace,
    environment,
    version,
    settings,
    socketSecret: settings.socket_secret,
    ledger: registry,
    openRecording,
    ...(options.guarded ? { guarded: options.guarded } : {}),
    registry: registry.summary,
    report: (text) => process.stderr.write(text),
    onShutDown: () => setImmediate(end.now),
  });
  const activity = watchActivity(createCall(runtime));
  const http = options.http && (await listenHttp({ ...options.http, call: activity.call }));
  const secret = makeSecret();
  // Before clients can connect: the secret of a killed daemon must no longer be accepted.
  fs.rmSync(held.serverFile, { force: true });
  fs.rmSync(held.socket, { force: true });
  const server = await listenUnix({
    socketPath: held.socket,
    call: activity.call,
    isSecret: createSecretCheck(secret),
    secretRequired: settings.socket_secret === 'required',
  });
  writeServerFile(held, {
    pid: process.pid,
    start_time: readProcessStat(process.pid)?.startTime ?? '',
    secret,
    socket_path: folder.socket,
    created_at_ms: Date.now(),
  });
  const isAnnounced = announceIn !== undefined && announce(announceIn, folder);
  options.onReady?.({ url: http?.url ?? null });
  const isOurs = () => readServerFile(folder)?.secret === secret;
  const check = () => {
    const idle = !isInUse(runtime) && activity.idleMs() >= idleMs;
    if (idle || !isOurs()) end.now();
    else if (isAnnounced) renewAnnouncement(announceIn, folder);
  };
  const polling = every(Math.min(POLL_INTERVAL_MS, idleMs), check, { onError: reportProblem, ref: true });
  // Completes recorded sessions; what cannot be ended in time is ended by the next daemon.
  const removeHook = beforeFatalExit(() => endAll(runtime));
  await end.wanted;
  polling.stop();
  runtime.targets.close();
  if (isAnnounced) withdrawDaemon(announceIn, folder);
  if (isOurs()) fs.rmSync(held.serverFile, { force: true });
  await Promise.all([runtime.sessions.destroyAll(), runtime.agents.end()]);
  await Promise.all([server.close(CLOSE_GRACE_MS), http?.close()]);
  // What was requested meanwhile.
  await endAll(runtime);
  removeHook();
}

/** Without an announcement the daemon is found only by its workspace, so it serves anyway. */
function announce(place: string, folder: RuntimeFolder): boolean {
  try {
    announceDaemon(place, folder);
    return true;
  } catch (error) {
    process.stderr.write(`not announced: ${(error as Error).message}\n`);
    return false;
  }
}

function reportProblem(error: unknown): void {
  process.stderr.write(`the daemon continues after: ${(error as Error).message}\n`);
}

/** A daemon that is stopping releases the workspace soon. */
async function takeOver(folder: RuntimeFolder): Promise<Flock> {
  const lock = await pollUntil(() => takeFlock(folder.lock), { everyMs: 20, timeoutMs: LOCK_TIMEOUT_MS });
  if (lock) return lock;
  const pid = readServerFile(folder)?.pid;
  throw new TachoError('SERVER_RUNNING', `another daemon serves ${folder.workspace}`, {
    facts: { workspace: folder.workspace, pid },
    fix: 'Stop it with: tacho runtime stop',
  });
}

function promiseOfEnd(): { wanted: Promise<void>; now: () => void } {
  let now!: () => void;
  const wanted = new Promise<void>((resolve) => {
    now = resolve;
  });
  return { wanted, now };
}
