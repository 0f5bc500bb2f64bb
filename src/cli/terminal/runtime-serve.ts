import os from 'node:os';
import path from 'node:path';
import { loadConfig, makePrivateFolder } from '../../config/index.ts';
import { exitOnFatalError } from '../../files/index.ts';
import { RUNTIME_FOLDER } from '../../protocol/file-names.ts';
import { locateControl } from '../../runs/control/control-path.ts';
import { locateDataHome, runtimesFolder } from '../../runs/data-home.ts';
import {
  bridgeStreams,
  connectOrStart,
  listDaemons,
  locateRuntime,
  runDaemon,
  serveStreams,
} from '../../runtime/index.ts';
import { leaveSession, type OpenRecording } from '../../terminal/index.ts';
import type { ServeOptions } from '../commands/runtime.ts';
import { warnOfWorkspace } from '../output/ignored-settings.ts';
import { durationOf, usage } from '../run/record-options.ts';
import { readVersion } from '../version.ts';

const IDLE_MS = 15 * 60_000;

/** `tacho runtime serve` */
export async function serveWorkspace(options: ServeOptions): Promise<void> {
  exitOnFatalError((error) => process.stderr.write(`unexpected error; the daemon exits: ${traceOf(error)}\n`));
  const folder = locateRuntime(options.workspace ?? process.cwd());
  warnOfWorkspace(folder.workspace);
  // Sessions must not inherit the token or markers of the process that started us.
  leaveSession();
  const { TACHO_RUNTIME_TOKEN: _, TACHO_MARKER: __, ...environment } = process.env;
  await runDaemon({
    folder,
    environment,
    version: readVersion(),
    settings: settingsOf(folder.workspace),
    announceIn: runtimesFolder(locateDataHome(process.env)),
    openRecording: recordingIn(folder.workspace),
    guarded: guardedFolders,
    // A daemon reached by HTTP is not started on demand, so it must not exit when idle.
    idleMs: durationOf('--idle', options.idle) ?? (options.http === undefined ? IDLE_MS : Number.POSITIVE_INFINITY),
    stopRequested: new Promise((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
    }),
    http: options.http === undefined ? undefined : httpOf(options.http),
    onReady: ({ url }) => {
      const ready = { workspace: folder.workspace, socket_path: folder.socket, url, pid: process.pid };
      const text = `serving ${folder.workspace}${url === null ? '' : ` at ${url}`}\n`;
      process.stdout.write(options.json ? `${JSON.stringify(ready)}\n` : text);
    },
  });
}

/** `tacho runtime --stdio` */
export async function serveStdio({ workspace = process.cwd(), keep }: ServeOptions): Promise<void> {
  const streams = { input: process.stdin, output: process.stdout };
  if (keep) {
    const { wire, secret } = await connectOrStart({ workspace });
    await bridgeStreams(streams, wire, secret);
  } else {
    const { workspace: root } = locateRuntime(workspace);
    warnOfWorkspace(root);
    await serveStreams(streams, {
      workspace: root,
      environment: process.env,
      version: readVersion(),
      settings: settingsOf(root),
      openRecording: recordingIn(root),
      guarded: guardedFolders,
    });
  }
}

/** Read once: all sessions of a daemon follow the same rules. */
function settingsOf(workspaceRoot: string) {
  return loadConfig({ workspaceRoot, env: process.env }).config.runtime;
}

/** Folders hidden from every sandbox: our records, keys and tokens, the secrets of all daemons, sockets elsewhere. */
function guardedFolders(): { dataFolder: string; hidden: string[] } {
  const home = locateDataHome(process.env);
  // A missing folder cannot be hidden.
  makePrivateFolder(home.root);
  const runtimes = listDaemons(runtimesFolder(home)).map(({ workspace }) => path.join(workspace, RUNTIME_FOLDER));
  const sockets = [
    path.dirname(locateControl(home, '').socket),
    path.join(os.tmpdir(), `tacho-runtime-${process.getuid!()}`),
  ];
  return { dataFolder: home.root, hidden: [...runtimes, ...sockets] };
}

/** Loaded on demand, because most sessions are not recorded. */
function recordingIn(workspaceRoot: string): OpenRecording {
  return async (session) => {
    const { openContext } = await import('../context.ts');
    const { recordSessions } = await import('../../runs/index.ts');
    const onTrouble = (error: unknown) => process.stderr.write(`a recording: ${describeTrouble(error)}\n`);
    return await recordSessions(openContext({}, { workspaceRoot }), onTrouble)(session);
  };
}

function traceOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function describeTrouble(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function httpOf(text: string): { host: string; port: number; token: string | undefined } {
  const match = /^(\[[0-9a-f:.]+\]|[^\s:[\]]+):(\d{1,5})$/i.exec(text);
  if (!match || Number(match[2]) > 65_535)
    throw usage(`--http must be an address with a port, got "${text}"`, 'For example: 127.0.0.1:7434');
  const host = match[1]!.replace(/^\[|\]$/g, '');
  return { host, port: Number(match[2]), token: process.env.TACHO_RUNTIME_TOKEN };
}
