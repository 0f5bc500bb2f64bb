import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { connectRaw } from '../../runtime/serve.ts';
import { temporaryFolder } from '../../support/tacho.ts';
import { trustFolder } from '../../support/trust.ts';
import { daemonOf } from './daemon.ts';

const OPEN = 'runtime:\n  socket_secret: optional\n  open_files: 77\n  max_sessions: 2\n';
const ping = { jsonrpc: '2.0', id: 1, method: 'system.ping' };

function workspaceWith(yaml: string): string {
  const workspace = fs.realpathSync(temporaryFolder());
  fs.mkdirSync(path.join(workspace, 'config'));
  fs.writeFileSync(path.join(workspace, 'config/tacho.yaml'), yaml);
  return workspace;
}

test('a daemon applies the `runtime` section of a trusted workspace', async () => {
  const workspace = workspaceWith(OPEN);
  const distrust = trustFolder(workspace);
  try {
    const { client, serverFile } = daemonOf(workspace);
    const { stdout } = await client().call('exec.run', { command: 'ulimit -n' });
    expect(stdout.data).toBe('77\n');
    const { send, next } = await connectRaw(serverFile().socket_path);
    send({ ...ping, method: 'runtime.status' });
    expect(await next()).toMatchObject({ result: { socket_secret: 'optional', sessions: { max: 2 } } });
  } finally {
    distrust();
  }
});

test('a daemon with a sandboxed session keeps requiring the secret when the setting changes', async () => {
  const workspace = workspaceWith('runtime:\n  open_files: 77\n');
  const { client, serverFile } = daemonOf(workspace);
  const runtime = client();
  const { mechanisms } = await runtime.call('runtime.status', {});
  if (mechanisms.sandbox!.works) await runtime.call('session.create', { sandbox: {} });
  fs.writeFileSync(path.join(workspace, 'config/tacho.yaml'), OPEN);
  const distrust = trustFolder(workspace);
  try {
    const { send, next } = await connectRaw(serverFile().socket_path);
    send(ping);
    expect(await next()).toMatchObject({ error: { data: { code: 'AUTH_FAILED' } } });
  } finally {
    distrust();
  }
});

test('an untrusted workspace can tighten limits, but cannot open the socket', async () => {
  const { client, serverFile } = daemonOf(workspaceWith(OPEN));
  const { stdout } = await client().call('exec.run', { command: 'ulimit -n' });
  expect(stdout.data).toBe('77\n');
  const { send, next } = await connectRaw(serverFile().socket_path);
  send(ping);
  expect(await next()).toMatchObject({ error: { data: { code: 'AUTH_FAILED' } } });
});
