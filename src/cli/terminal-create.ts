import path from 'node:path';
import { sessionKindSchema } from '../protocol/index.ts';
import { durationOf, environmentOf, usage } from './record-options.ts';
import type { RuntimeOptions } from './runtime-options.ts';
import { withRuntime } from './terminal-client.ts';

export interface CreateOptions extends RuntimeOptions {
  kind?: string;
  name?: string;
  cwd?: string;
  env?: string[];
  size: string;
  idle?: string;
}

/** `tacho terminal create` */
export async function createSession(options: CreateOptions, argv: readonly string[]): Promise<void> {
  const kind = sessionKindSchema.safeParse(options.kind ?? (argv.length > 0 ? 'pty' : 'shell'));
  if (!kind.success) throw usage(`--kind ${options.kind} is not known`, 'Use shell, exec or pty.');
  const size = /^(\d+)x(\d+)$/.exec(options.size);
  if (!size) throw usage(`--size ${options.size} is no size`, 'For example: 120x40');
  const { env, passEnv } = environmentOf(options.env ?? []);
  const idle = durationOf('--idle', options.idle);
  await withRuntime(options, async (client) => {
    const session = await client.call('session.create', {
      kind: kind.data,
      cols: Number(size[1]),
      rows: Number(size[2]),
      env: { set: { ...env, ...passedOn(passEnv) } },
      ...(argv.length > 0 && { argv: [...argv] }),
      ...(options.name !== undefined && { name: options.name }),
      ...(options.cwd !== undefined && { cwd: path.resolve(options.cwd) }),
      ...(idle !== undefined && { idle_ms: idle }),
    });
    process.stdout.write(`${options.json ? JSON.stringify(session) : session.session_id}\n`);
  });
}

/** The values are ours, not those the daemon was started with. */
function passedOn(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, process.env[name]!]));
}
