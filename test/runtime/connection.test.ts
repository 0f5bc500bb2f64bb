import { expect, test } from 'vitest';
import { connectRaw, SECRET, serveRuntime } from './serve.ts';

const ping = { jsonrpc: '2.0', id: 1, method: 'system.ping', secret: SECRET };

test('requests get a result or an error; a message without jsonrpc is refused and the connection stays open', async () => {
  const { socketPath } = await serveRuntime();
  const { send, next } = await connectRaw(socketPath);
  send(ping);
  expect(await next()).toMatchObject({ jsonrpc: '2.0', id: 1, result: { pong: true } });
  send({ id: 'old', method: 'exec.run', params: { command: 'echo hi' } });
  expect(await next()).toMatchObject({ id: null, error: { code: -32600, data: { code: 'INVALID_REQUEST' } } });
  send({ ...ping, id: 'x', method: 'no.such' });
  expect(await next()).toMatchObject({ id: 'x', error: { code: -32601, data: { code: 'METHOD_NOT_FOUND' } } });
  send({ jsonrpc: '2.0', id: 2, method: 'session.info', params: { session: 1 } });
  expect(await next()).toMatchObject({ id: 2, error: { code: -32602, data: { code: 'INVALID_PARAMS' } } });
});

test('a slow command does not block other calls of the connection', async () => {
  const { socketPath } = await serveRuntime();
  const { send, next } = await connectRaw(socketPath);
  send({ ...ping, id: 'slow', method: 'exec.run', params: { command: 'sleep 600', exec_id: 'slow' } });
  for (let id = 1; id <= 20; id++) send({ ...ping, id });
  for (let id = 1; id <= 20; id++) expect(await next()).toMatchObject({ id, result: { pong: true } });
  send({ ...ping, id: 'cancel', method: 'exec.cancel', params: { exec_id: 'slow' } });
  const answers = [await next(), await next()].map((answer) => answer!.id).sort();
  expect(answers).toEqual(['cancel', 'slow']);
});

test('a request without an id is executed but not answered', async () => {
  const { socketPath, runtime } = await serveRuntime();
  const { send, next } = await connectRaw(socketPath);
  send({ jsonrpc: '2.0', method: 'session.create', params: { name: 'quiet' }, secret: SECRET });
  send({ ...ping, id: 2 });
  expect(await next()).toMatchObject({ id: 2 });
  await expect.poll(() => runtime.sessions.list().map((session) => session.options.name)).toEqual(['quiet']);
});

test('a client that closed its sending side still gets answers, even without a last newline', async () => {
  const { socketPath } = await serveRuntime();
  const { socket, next } = await connectRaw(socketPath);
  const run = { ...ping, method: 'exec.run', params: { command: 'sleep 0.2; echo late' } };
  socket.end(JSON.stringify(run));
  expect(await next()).toMatchObject({ result: { stdout: { data: 'late\n' } } });
  expect(await next()).toBeNull();
});

test('a client that does not read gets no more than fits, without effect on others', async () => {
  const { socketPath, client } = await serveRuntime();
  const deaf = await connectRaw(socketPath);
  deaf.socket.pause();
  deaf.send({ ...ping, method: 'exec.stream', params: { command: 'yes', exec_id: 'yes', timeout_ms: 60_000 } });
  for (let id = 0; id < 2000; id++) deaf.send({ ...ping, id, method: 'runtime.status' });
  const before = process.memoryUsage().rss;
  const seen = async () => (await client.call('session.list', {})).sessions[0]?.streams.stdout?.end ?? 0;
  await expect.poll(seen).toBeGreaterThan(100_000_000);
  expect(process.memoryUsage().rss - before).toBeLessThan(60_000_000);
  expect(await client.call('exec.cancel', { exec_id: 'yes' })).toEqual({ canceled: true });
});

test('with when_behind wait a slow reader over the socket gets every byte', async () => {
  const { client } = await serveRuntime();
  const size = 20_000_000;
  let got = 0;
  const result = await client.call(
    'exec.stream',
    { command: `head -c ${size} /dev/zero`, when_behind: 'wait', max_output_bytes: 0 },
    async ({ from, data, encoding }) => {
      expect(from).toBe(got);
      got += Buffer.from(data, encoding).length;
      await new Promise((resolve) => setTimeout(resolve, 2));
    },
  );
  expect({ got, to: result.stdout.to, exit_code: result.exit_code }).toEqual({ got: size, to: size, exit_code: 0 });
});

test('a disconnected client is no longer attached, a connected one is', async () => {
  const { socketPath, client } = await serveRuntime();
  const { session_id } = await client.call('session.create', { kind: 'pty', argv: ['cat'] });
  await client.call('session.attach', { session_id, client_id: 'stays' });
  const goes = await connectRaw(socketPath);
  goes.send({ ...ping, method: 'session.attach', params: { session_id, client_id: 'goes' } });
  await goes.next();
  const attached = async () => (await client.call('session.info', { session_id })).attached;
  expect(await attached()).toBe(2);
  goes.socket.destroy();
  await expect.poll(attached).toBe(1);
});
