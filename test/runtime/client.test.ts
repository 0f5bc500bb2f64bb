import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { RuntimeClient } from '../../src/runtime/client/runtime-client.ts';
import { connectSocket, wireOfProcess } from '../../src/runtime/client/wires.ts';
import { command } from '../acceptance/runtime/daemon.ts';
import { temporaryFolder } from '../support/tacho.ts';
import { SECRET, serveRuntime } from './serve.ts';

test('a reader with repeatedly lost connections gets every byte once, in order', async () => {
  const { client: direct, socketPath, workspace } = await serveRuntime();
  const proxy = await cuttingProxy(socketPath);
  const client = new RuntimeClient({
    connect: async () => ({ wire: await connectSocket(proxy.path), secret: SECRET }),
  });
  onTestFinished(() => client.close());
  const { session_id } = await direct.call('session.create', {
    kind: 'exec',
    argv: ['sh', '-c', 'i=0; until [ -e stop ]; do i=$((i + 1)); seq $i $((i + 100)); sleep 0.002; done'],
    buffer_bytes: 16_000_000,
  });
  const pieces: Buffer[] = [];
  for await (const bytes of client.follow(session_id)) {
    pieces.push(bytes);
    if (pieces.length % 10 === 0) proxy.cut();
    // It was cut often, even if many bytes arrive at once on a busy machine.
    if (proxy.connections() > 5) fs.writeFileSync(path.join(workspace, 'stop'), '');
  }
  const text = Buffer.concat(pieces).toString();
  const rounds = (text.split('\n').length - 1) / 101;
  const lines = Array.from({ length: rounds }, (_, i) =>
    Array.from({ length: 101 }, (_, j) => `${i + 1 + j}\n`).join(''),
  );
  expect(text).toBe(lines.join(''));
});

test('a command survives a lost connection, and its call returns the result over the next one', async () => {
  const { client: direct, socketPath, runtime } = await serveRuntime();
  const proxy = await cuttingProxy(socketPath);
  const client = new RuntimeClient({
    connect: async () => ({ wire: await connectSocket(proxy.path), secret: SECRET }),
  });
  onTestFinished(() => client.close());
  const { session_id } = await client.call('session.create', { kind: 'shell' });
  const running = client.call('exec.run', { session_id, command: 'read line; echo "got $line"' });
  await expect.poll(() => runtime.sessions.find(session_id).state).toBe('running');
  proxy.cut();
  // A repeated write is not written again.
  const write = { session_id, data: 'on\n', write_id: 'w1' };
  expect(await client.call('session.write', write)).toEqual({ written: 3, repeated: false });
  expect(await client.call('session.write', write)).toEqual({ written: 3, repeated: true });
  const read = await direct.call('session.read', { session_id, wait_ms: 20_000 });
  expect(read.data).toBe('got on\n');
  expect((await running).stdout.data).toBe('got on\n');
});

test('streamed output resumes after a lost connection, with no missing or duplicate bytes', async () => {
  const { socketPath, workspace } = await serveRuntime();
  const proxy = await cuttingProxy(socketPath);
  const client = new RuntimeClient({
    connect: async () => ({ wire: await connectSocket(proxy.path), secret: SECRET }),
  });
  onTestFinished(() => client.close());
  const { session_id } = await client.call('session.create', {});
  await client.call('exec.run', { session_id, command: 'echo before' });
  let out = '';
  let err = '';
  let pieces = 0;
  const command = 'i=0; until [ -e stop ]; do echo $((++i)); echo $i >&2; sleep 0.002; done; (exit 3)';
  const result = await client.call('exec.stream', { session_id, command }, ({ stream, data }) => {
    if (stream === 'stdout') out += data;
    else err += data;
    if (++pieces % 20 === 0) proxy.cut();
    if (proxy.connections() > 5) fs.writeFileSync(path.join(workspace, 'stop'), '');
  });
  const lines = Array.from({ length: out.split('\n').length - 1 }, (_, i) => `${i + 1}\n`).join('');
  expect({ out, err, code: result.exit_code }).toEqual({ out: lines, err: lines, code: 3 });
});

test('a command is never started twice: the call fails if the next runtime does not know it', async () => {
  const [first, second] = [await serveRuntime(), await serveRuntime()];
  const proxy = await cuttingProxy(first.socketPath);
  let socketPath = proxy.path;
  const client = new RuntimeClient({
    connect: async () => ({ wire: await connectSocket(socketPath), secret: SECRET }),
  });
  onTestFinished(() => client.close());
  const running = client.call('exec.run', { command: 'sleep 600', exec_id: 'x-once' });
  await expect.poll(() => first.runtime.sessions.list().length).toBe(1);
  socketPath = second.socketPath;
  proxy.cut();
  await expect(running).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
  expect(second.runtime.sessions.list()).toEqual([]);
});

test('the stdio of a process works like a socket, and its end closes the sessions', async () => {
  const workspace = temporaryFolder();
  const child = spawn(command[0]!, [command[1]!, 'runtime', '--stdio', '--workspace', workspace]);
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const client = new RuntimeClient({ connect: async () => ({ wire: wireOfProcess(child), secret: null }) });
  const { session_id } = await client.call('session.create', { kind: 'shell' });
  const pieces: string[] = [];
  const result = await client.call('exec.stream', { session_id, command: 'pwd; cd /; pwd' }, ({ data }) => {
    pieces.push(data);
  });
  expect(result.exit_code).toBe(0);
  expect(pieces.join('')).toBe(`${workspace}\n/\n`);
  client.close();
  expect(await exited).toBe(0);
});

test('an output handler that throws fails only its own call', async () => {
  const { client } = await serveRuntime();
  const failing = client.call('exec.stream', { command: 'echo one' }, () => {
    throw new Error('no more');
  });
  const other = client.call('exec.run', { command: 'echo two' });
  await expect(failing).rejects.toThrow('no more');
  expect((await other).stdout.data).toBe('two\n');
});

test('a client that attaches late gets the screen and later output', async () => {
  const { client } = await serveRuntime();
  const { session_id } = await client.call('session.create', { kind: 'pty', argv: ['cat'], cols: 20, rows: 4 });
  await client.call('session.write', { session_id, data: 'first\n' });
  // The echo of a line may appear before its newline.
  await expect
    .poll(async () => (await client.call('session.screen', { session_id })).cursor)
    .toEqual({ row: 2, col: 0 });
  const { snapshot, next, cols, rows } = await client.call('session.attach', { session_id, client_id: 'late' });
  expect(snapshot).toMatch(/first.*first/s);
  expect({ cols, rows }).toEqual({ cols: 20, rows: 4 });
  await client.call('session.write', { session_id, data: 'second\n' });
  await expect
    .poll(async () => (await client.call('session.read', { session_id, after: next })).data)
    .toBe('second\r\nsecond\r\n');
});

interface CuttingProxy {
  path: string;
  cut(): void;
  connections(): number;
}

/** A proxy to the socket whose connections can be cut. */
async function cuttingProxy(target: string): Promise<CuttingProxy> {
  const socketPath = path.join(temporaryFolder(), 'proxy.sock');
  const sockets = new Set<net.Socket>();
  let connections = 0;
  const server = net.createServer((near) => {
    const far = net.connect(target);
    connections++;
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  return { path: socketPath, cut, connections: () => connections };
}
