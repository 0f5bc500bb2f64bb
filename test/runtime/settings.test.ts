import { expect, test } from 'vitest';
import { RUNTIME_METHODS } from '../../src/protocol/index.ts';
import { connectRaw, SECRET, serveRuntime } from './serve.ts';

const ping = { jsonrpc: '2.0', id: 1, method: 'system.ping' };

test('a command without a timeout has that of the settings, with and without a session', async () => {
  const { client } = await serveRuntime({ timeout_ms: 100 });
  const { session_id } = await client.call('session.create', {});
  const timedOut = { timed_out: true };
  const command = 'sleep 600';
  expect(await client.call('exec.run', { session_id, command })).toMatchObject(timedOut);
  expect(await client.call('exec.run', { command })).toMatchObject(timedOut);
  expect(await client.call('exec.stream', { command, timeout_ms: 200 })).toMatchObject(timedOut);
});

test('a timeout of the request or of the session overrides the default', async () => {
  const { client } = await serveRuntime({ timeout_ms: 1 });
  const { session_id } = await client.call('session.create', { timeout_ms: 600_000 });
  const command = 'sleep 0.1; echo done';
  const done = { timed_out: false, stdout: { data: 'done\n' } };
  expect(await client.call('exec.run', { session_id, command })).toMatchObject(done);
  expect(await client.call('exec.run', { command, timeout_ms: 600_000 })).toMatchObject(done);
});

test('the program of an exec session may be a server, so the default timeout does not end it', async () => {
  const { client } = await serveRuntime({ timeout_ms: 1 });
  const argv = ['sh', '-c', 'sleep 0.1; echo served'];
  const { session_id } = await client.call('session.create', { kind: 'exec', argv });
  const read = await client.call('session.read', { session_id, wait_ms: 60_000 });
  expect(read.data).toBe('served\n');
});

test('sessions and commands have the limits of the settings; those of a request take precedence', async () => {
  const { client } = await serveRuntime({ open_files: 77, nice: 3 });
  const { session_id, limits } = await client.call('session.create', { limits: { nice: 5 } });
  expect(limits).toEqual({ open_files: 77, nice: 5 });
  const command = 'ulimit -n; nice';
  expect((await client.call('exec.run', { session_id, command })).stdout.data).toBe('77\n5\n');
  expect((await client.call('exec.run', { command, limits: { open_files: 66 } })).stdout.data).toBe('66\n3\n');
});

test('the settings limit the number of sessions, and the status reports all settings', async () => {
  const { client } = await serveRuntime({ max_sessions: 1, timeout_ms: 60_000, file_bytes: 1_000_000 });
  await client.call('session.create', {});
  const refused = { code: 'MAX_SESSIONS_REACHED', facts: { max_sessions: 1 } };
  await expect(client.call('session.create', {})).rejects.toMatchObject(refused);
  const status = RUNTIME_METHODS['runtime.status'].result.parse(await client.call('runtime.status', {}));
  expect(status).toMatchObject({
    sessions: { active: 1, max: 1 },
    defaults: { timeout_ms: 60_000, limits: { file_bytes: 1_000_000 } },
    socket_secret: 'required',
  });
});

test('with an optional secret, reaching the socket is enough; a wrong secret is still refused', async () => {
  const { socketPath } = await serveRuntime({ socket_secret: 'optional' });
  const { send, next } = await connectRaw(socketPath);
  send(ping);
  expect(await next()).toMatchObject({ id: 1, result: { pong: true } });
  send({ ...ping, id: 2, secret: SECRET });
  expect(await next()).toMatchObject({ id: 2, result: { pong: true } });
  send({ ...ping, id: 3, secret: 'guessed' });
  expect(await next()).toMatchObject({ id: 3, error: { data: { code: 'AUTH_FAILED' } } });
  expect(await next()).toBeNull();
});

test('without the setting, a client that sends no secret is refused', async () => {
  const { socketPath } = await serveRuntime();
  const { send, next } = await connectRaw(socketPath);
  send(ping);
  expect(await next()).toMatchObject({ id: 1, error: { data: { code: 'AUTH_FAILED' } } });
  expect(await next()).toBeNull();
});

test('while the secret is optional, a sandboxed session is refused', async () => {
  const { client } = await serveRuntime({ socket_secret: 'optional' });
  const refused = {
    code: 'LIMIT_UNAVAILABLE',
    facts: { reasons: { sandbox: expect.stringContaining('socket_secret') } },
  };
  await expect(client.call('session.create', { sandbox: {} })).rejects.toMatchObject(refused);
  await expect(client.call('exec.run', { argv: ['true'], sandbox: {} })).rejects.toMatchObject(refused);
  const { mechanisms, socket_secret } = await client.call('runtime.status', {});
  expect([socket_secret, mechanisms.sandbox!.works, mechanisms.sandbox_with_network!.works]).toEqual([
    'optional',
    false,
    false,
  ]);
});
