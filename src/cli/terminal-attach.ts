import { randomUUID } from 'node:crypto';
import type { RuntimeClient } from '../runtime/index.ts';
import { paint } from './paint.ts';
import type { RuntimeOptions } from './runtime-options.ts';
import { findSession, withRuntime } from './terminal-client.ts';

/** Ctrl-], as telnet has it: hardly any program wants it for itself. */
const DETACH = 0x1d;

/** `tacho terminal attach`: ends with the session, or with Ctrl-]. */
export async function attachSession(selector: string, options: RuntimeOptions): Promise<void> {
  await withRuntime(options, async (client) => {
    const { session_id } = await findSession(client, selector);
    const client_id = randomUUID();
    const { snapshot, next } = await client.call('session.attach', { session_id, client_id });
    const keyboard = Boolean(process.stdin.isTTY);
    if (keyboard) process.stderr.write(paint.dim(`attached to ${session_id}; Ctrl-] detaches\r\n`));
    process.stdout.write(snapshot ?? '');
    const left = keyboard ? takeKeyboard(client, session_id) : new Promise<never>(() => {});
    try {
      const ended = show(client, session_id, next).then(() => 'the session has ended');
      const how = await Promise.race([left.then(() => 'detached; the session goes on'), ended]);
      if (keyboard) process.stdin.setRawMode(false);
      process.stderr.write(`\n${paint.dim(how)}\n`);
    } finally {
      await client.call('session.detach', { session_id, client_id }).catch(() => {});
      process.stdin.destroy();
    }
  });
}

async function show(client: RuntimeClient, session_id: string, after: number): Promise<void> {
  for await (const bytes of client.follow(session_id, { after })) process.stdout.write(bytes);
}

/** Keys go to the session; resolves when the person wants to leave it alone. */
function takeKeyboard(client: RuntimeClient, session_id: string): Promise<void> {
  const { stdin, stdout } = process;
  stdin.setRawMode(true);
  const resize = () =>
    void client.call('session.resize', { session_id, cols: stdout.columns, rows: stdout.rows }).catch(() => {});
  stdout.on('resize', resize);
  resize();
  return new Promise((resolve) => {
    stdin.on('data', (bytes: Buffer) => {
      const end = bytes.indexOf(DETACH);
      const keys = end < 0 ? bytes : bytes.subarray(0, end);
      const data = keys.toString('base64');
      // A session that has ended meanwhile takes no more keys.
      if (keys.length > 0) void client.call('session.write', { session_id, data, encoding: 'base64' }).catch(() => {});
      if (end >= 0) resolve();
    });
  });
}
