import fs from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { type Client, createClient } from '../../../src/client/index.ts';
import type { SseFrame } from '../../../src/client/sse-parser.ts';
import type { TerminalView } from '../../../src/protocol/index.ts';
import { command } from '../../acceptance/runtime/daemon.ts';
import { signalIfThere, temporaryFolder } from '../../support/tacho.ts';
import { isRunning, until } from '../../terminal/run-terminal.ts';
import { memoryDirector } from './memory-director.ts';
import { type Served, type ServeOptions, serve, sharedServe } from './serve.ts';

export interface ServedTerminals extends Served {
  home: string;
  client: Client;
  /** The pid of the daemon of a workspace. */
  daemonOf(workspace: string): number;
}

/** One server and one workspace with its daemon, for all tests of a file. */
export function sharedTerminals(): ServedTerminals & { workspace: string } {
  return sharedServe({}, async ({ home, whenDone }) => {
    const workspace = path.join(home, 'workspace');
    fs.mkdirSync(workspace);
    return { ...(await serveTerminals(home, whenDone)), workspace };
  });
}

/** A server that starts daemons; they are stopped when the test ends. */
export async function serveTerminals(
  home = temporaryFolder(),
  whenDone: ServeOptions['whenDone'] = onTestFinished,
): Promise<ServedTerminals> {
  const folder = path.join(home, 'runtimes');
  const announced = (): { workspace: string; pid: number }[] =>
    fs.existsSync(folder) ? fs.readdirSync(folder).flatMap((name) => announcement(path.join(folder, name))) : [];
  whenDone(async () => {
    for (const { pid } of announced()) {
      if (!isRunning(pid)) continue;
      signalIfThere(pid, 'SIGCONT');
      signalIfThere(pid, 'SIGTERM');
      await until(() => !isRunning(pid), 'the daemon has ended');
    }
  });
  const served = await serve({ director: memoryDirector(), home, command, whenDone });
  const token = served.headersFor('admin').authorization!.split(' ')[1]!;
  return {
    ...served,
    home,
    client: createClient({ url: served.url, token, timing: { firstRetryMs: 5, lastRetryMs: 50 } }),
    daemonOf: (workspace) => announced().find((daemon) => daemon.workspace === fs.realpathSync(workspace))!.pid,
  };
}

/** Empty when it was withdrawn meanwhile. */
function announcement(file: string): { workspace: string; pid: number }[] {
  try {
    return [JSON.parse(fs.readFileSync(file, 'utf8')) as { workspace: string; pid: number }];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

export function streamOf({ terminal_id }: TerminalView): string {
  return `/v1/terminals/${encodeURIComponent(terminal_id)}/stream`;
}

/** The bytes of one stream in output frames. */
export function outputIn(frames: readonly SseFrame[], stream = 'stdout'): Buffer {
  const pieces = frames
    .filter(({ event }) => event === 'terminal.output')
    .map(({ data }) => JSON.parse(data) as { stream: string; data: string; encoding: BufferEncoding })
    .filter((output) => output.stream === stream);
  return Buffer.concat(pieces.map(({ data, encoding }) => Buffer.from(data, encoding)));
}
