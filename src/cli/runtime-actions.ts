import { findServer, locateRuntime, type RuntimeClient } from '../runtime/index.ts';
import { count, formatTime } from './format.ts';
import type { RuntimeOptions } from './runtime-options.ts';

/** `tacho runtime status` */
export async function status(options: RuntimeOptions): Promise<void> {
  await withServer(options, async (client) => {
    const found = await client.call('runtime.status', {});
    const { pid, started_at, sessions, version } = found;
    const missing = Object.entries(found.mechanisms).filter(([, { works }]) => !works);
    const lines = [
      `tacho ${version} serves ${found.workspace} as process ${pid} since ${formatTime(started_at)}`,
      `${count(sessions.active, 'session')} of ${sessions.max}`,
      ...missing.map(([name, { why }]) => `not to be had here: ${name} (${why})`),
    ];
    print(options, { running: true, ...found }, `${lines.join('\n')}\n`);
  });
}

/** `tacho runtime cleanup` */
export async function cleanup(options: RuntimeOptions): Promise<void> {
  await withServer(options, async (client) => {
    const ended = await client.call('runtime.cleanup', {});
    print(options, { running: true, ...ended }, `${count(ended.sessions, 'session')} ended\n`);
  });
}

/** `tacho runtime stop` */
export async function stop(options: RuntimeOptions): Promise<void> {
  await withServer(options, async (client) => {
    const { pid } = await client.call('runtime.status', {});
    await client.call('runtime.shutdown', {});
    client.close();
    while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
    print(options, { running: false, stopped: true }, 'stopped\n');
  });
}

async function withServer(options: RuntimeOptions, act: (client: RuntimeClient) => Promise<void>): Promise<void> {
  const workspace = options.workspace ?? process.cwd();
  const client = await findServer(workspace);
  if (!client) return print(options, { running: false }, `no daemon serves ${locateRuntime(workspace).workspace}\n`);
  try {
    await act(client);
  } finally {
    client.close();
  }
}

function print({ json }: RuntimeOptions, answer: object, text: string): void {
  process.stdout.write(json ? `${JSON.stringify(answer)}\n` : text);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
