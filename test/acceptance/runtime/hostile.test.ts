import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ensureServer, type RuntimeClient } from '../../../src/runtime/index.ts';
import { connectRaw } from '../../runtime/serve.ts';
import { finished, temporaryFolder, until } from '../../support/tacho.ts';
import { command, sharedDaemon, startTacho } from './daemon.ts';

const TOKEN = 'a-token-that-is-hard-to-guess';
const ping = { jsonrpc: '2.0', id: 1, method: 'system.ping' };

/** Shared: no test may leave the daemon in a state that affects the next. */
const daemon = sharedDaemon();

describe('the daemon survives hostile clients', () => {
  test('rejects a wrong or missing secret and closes the connection', async () => {
    const { lives } = await startDaemon();
    for (const secret of ['wrong', daemon.serverFile().secret.slice(0, -1), undefined]) {
      const { send, next } = await connectRaw(daemon.serverFile().socket_path);
      send({ ...ping, secret });
      send({ ...ping, secret: daemon.serverFile().secret });
      expect(await next()).toMatchObject({ id: 1, error: { data: { code: 'AUTH_FAILED' } } });
      expect(await next()).toBeNull();
    }
    await lives();
  });

  test('rejects garbage, half a request and a 10 MB request; the connection stays open where possible', async () => {
    const { lives } = await startDaemon();
    const { secret, socket_path } = daemon.serverFile();
    const { socket, send, next } = await connectRaw(socket_path);
    send({ ...ping, secret });
    expect(await next()).toMatchObject({ id: 1, result: { pong: true } });
    socket.write('\0\xff garbage\n[1,2]\n"text"\n{"jsonrpc":"2.0","method":7}\n');
    for (const code of [-32700, -32600, -32600, -32600])
      expect(await next()).toMatchObject({ id: null, error: { code } });
    socket.write(`{"jsonrpc":"2.0","id":2,"method":"session.write","params":{"data":"${'x'.repeat(10_000_000)}"}}\n`);
    expect(await next()).toMatchObject({ id: null, error: { data: { code: 'BODY_TOO_LARGE' } } });
    send({ ...ping, id: 3 });
    expect(await next()).toMatchObject({ id: 3, result: { pong: true } });
    socket.end('{"jsonrpc":"2.0","id":4,"met');
    expect(await next()).toMatchObject({ error: { data: { code: 'INVALID_REQUEST' } } });
    expect(await next()).toBeNull();
    // An unauthenticated client gets one error and is disconnected.
    const stranger = await connectRaw(socket_path);
    stranger.socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(await stranger.next()).toMatchObject({ error: { data: { code: 'INVALID_REQUEST' } } });
    expect(await stranger.next()).toBeNull();
    await lives();
  });

  test('keeps only a few of 1,000 silent connections, and still serves clients that authenticate', async () => {
    const { lives } = await startDaemon();
    const { socket_path, pid } = daemon.serverFile();
    let open = 0;
    const sockets = Array.from({ length: 1000 }, () => {
      const socket = net.connect(socket_path);
      socket.on('connect', () => open++);
      socket.on('close', () => open--);
      socket.on('error', () => {});
      return socket;
    });
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    await Promise.all(
      sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))),
    );
    await until(() => open <= 128);
    expect(fs.readdirSync(`/proc/${pid}/fd`).length).toBeLessThan(200);
    await lives();
  });

  test('another user can neither enter the folder nor make a client trust a foreign socket', async () => {
    const { lives } = await startDaemon();
    const { socket_path } = daemon.serverFile();
    expect(fs.statSync(daemon.folder).mode & 0o777).toBe(0o700);
    for (const file of [socket_path, path.join(daemon.folder, 'server.json')]) {
      expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    }
    if (process.getuid!() === 0) {
      fs.chmodSync(daemon.workspace, 0o755);
      const script = `require('net').connect(${JSON.stringify(socket_path)}).on('error', (e) => console.log(e.code)).on('connect', () => console.log('in'))`;
      const stranger = spawn(process.execPath, ['-e', script], { uid: 65534, gid: 65534, cwd: '/' });
      expect((await finished(stranger)).stdout).toBe('EACCES\n');
      const theirs = temporaryFolder();
      fs.mkdirSync(path.join(theirs, '.tacho/runtime'), { recursive: true });
      fs.chownSync(path.join(theirs, '.tacho/runtime'), 65534, 65534);
      const client = ensureServer({ workspace: theirs, command, environment: process.env });
      await expect(client.call('system.ping', {})).rejects.toMatchObject({ code: 'AUTH_FAILED' });
    }
    await lives();
  });

  test('refuses a workspace that is not writable', async () => {
    const client = ensureServer({ workspace: '/proc', command, environment: process.env });
    await expect(client.call('session.create', {})).rejects.toMatchObject({ code: 'DATA_FOLDER_UNWRITABLE' });
  });

  test('HTTP requires a token, both to start and to answer', async () => {
    const workspace = temporaryFolder();
    const serve = ['runtime', 'serve', '--http', '127.0.0.1:0', '--json', '--workspace', workspace];
    const refused = await finished(startTacho(serve, { env: { TACHO_RUNTIME_TOKEN: '' } }));
    expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'AUTH_FAILED' } });
    const child = startTacho(serve, { env: { TACHO_RUNTIME_TOKEN: TOKEN } });
    onTestFinished(async () => {
      child.kill();
      await finished(child);
    });
    const ready = await new Promise<{ url: string }>((resolve) =>
      child.stdout!.once('data', (bytes) => resolve(JSON.parse(String(bytes)))),
    );
    const post = (body: string, headers: Record<string, string> = {}) =>
      fetch(`${ready.url}/rpc`, { method: 'POST', body, headers: { authorization: `Bearer ${TOKEN}`, ...headers } });
    const statusOf = async (...request: Parameters<typeof post>) => (await post(...request)).status;
    expect(await statusOf(JSON.stringify(ping), { authorization: '' })).toBe(401);
    expect(await statusOf(JSON.stringify(ping), { authorization: `Bearer ${TOKEN}x` })).toBe(401);
    expect(await statusOf('garbage')).toBe(400);
    expect(await statusOf('x'.repeat(10_000_000)).catch(() => 413)).toBe(413);
    expect((await fetch(ready.url, { headers: { authorization: `Bearer ${TOKEN}` } })).status).toBe(404);
    expect(await hostStatus(ready.url, 'evil.example')).toBe(403);
    expect(await (await post(JSON.stringify(ping))).json()).toMatchObject({ id: 1, result: { pong: true } });
    const streamed = await post(
      JSON.stringify({ ...ping, method: 'exec.stream', params: { command: 'echo one; sleep 0.1; echo two' } }),
    );
    const lines = (await streamed.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(
      lines
        .slice(0, -1)
        .map(({ params }) => params.data)
        .join(''),
    ).toBe('one\ntwo\n');
    expect(lines.at(-1)).toMatchObject({ id: 1, result: { exit_code: 0, stdout: { to: 8 } } });
    const create = {
      ...ping,
      method: 'session.create',
      params: { kind: 'exec', argv: ['sh', '-c', 'echo a; sleep 0.1; echo b'] },
    };
    const { result } = (await (await post(JSON.stringify(create))).json()) as { result: { session_id: string } };
    const read = { ...ping, method: 'session.read', params: { session_id: result.session_id } };
    const followed = await (await post(JSON.stringify(read), { accept: 'application/x-ndjson' })).text();
    const pieces = followed
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(pieces.map(({ params, result }) => (params ?? result).data).join('')).toBe('a\nb\n');
    expect(pieces.at(-1)).toMatchObject({ id: 1, result: { closed: true, next: 4 } });
  });
});

describe('the daemon survives hostile requests and programs', () => {
  test('programs that print expensive escape sequences or random bytes do not block other clients', async () => {
    const { client, lives } = await startDaemon();
    const counts = '\\033[2147483647L\\033[2147483647S\\033[2147483647b\\033[2147483647;2147483647H';
    const scripts = [
      `while :; do printf 'x${counts}'; done`,
      'cat /dev/urandom',
      "printf '\\033]0;'; tr '\\0' x < /dev/zero",
      "printf '\\033P+q'; tr '\\0' 1 < /dev/zero",
    ];
    const opened = await Promise.all(
      scripts.map((script) => client.call('session.create', { kind: 'pty', argv: ['sh', '-c', script] })),
    );
    for (const { session_id } of opened) await client.call('session.read', { session_id, wait_ms: 20_000 });
    await lives();
    const screens = await Promise.all(
      opened.map(({ session_id }) => client.call('session.screen', { session_id, wait_ms: 100 })),
    );
    expect(screens.map(({ lines, cols }) => [lines.length, cols])).toEqual(scripts.map(() => [24, 80]));
    await Promise.all(opened.map(({ session_id }) => client.call('session.destroy', { session_id })));
    await lives();
  });

  test('refuses the screen of a session that has none or is gone, and oversized terminals', async () => {
    const { client, lives } = await startDaemon();
    const refused = async (params: Record<string, unknown>) =>
      await client.call('session.screen', params as { session_id: string }).then(
        () => 'shown',
        ({ code }) => code,
      );
    const shell = await client.call('session.create', {});
    const exec = await client.call('session.create', { kind: 'exec', argv: ['cat'] });
    for (const { session_id } of [shell, exec]) expect(await refused({ session_id })).toBe('INVALID_PARAMS');
    expect(await refused({ session_id: 's-none' })).toBe('SESSION_NOT_FOUND');
    const { session_id } = await client.call('session.create', { kind: 'pty', argv: ['cat'] });
    const wrong = [{ wait_ms: -1 }, { wait_ms: 1e12 }, { wait_for: 'x'.repeat(2000) }, { quiet_ms: 0 }, { colour: 1 }];
    for (const params of wrong) expect(await refused({ session_id, ...params })).toBe('INVALID_PARAMS');
    expect(await refused({})).toBe('INVALID_PARAMS');
    const huge = { cols: 65_535, rows: 65_535 };
    await expect(client.call('session.create', { kind: 'pty', ...huge })).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
    });
    await expect(client.call('session.resize', { session_id, ...huge })).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
    });
    await client.call('session.destroy', { session_id });
    expect(await refused({ session_id })).toBe('SESSION_NOT_FOUND');
    await lives();
  });

  test('refuses unknown targets, targets where none is allowed, and session ids with unknown targets', async () => {
    const { client, lives } = await startDaemon();
    const refused = async (method: string, params: object) =>
      await client.call(method as 'file.stat', params as { path: string }).then(
        () => 'done',
        ({ code }) => code,
      );
    const names = [
      'ssh:none',
      'ssh:__proto__',
      'container:constructor',
      'ssh:../../etc',
      'ssh:',
      'docker:x',
      '',
      'HOST',
    ];
    for (const target of [...names, 7, null, {}, ['host']]) {
      for (const [method, params] of Object.entries({
        'file.read': { path: 'x' },
        'file.write': { path: 'x', data: 'x' },
        'file.list': {},
        'file.stat': { path: 'x' },
        'system.stats': {},
        'session.list': {},
        'session.create': {},
        'exec.run': { command: 'true' },
      })) {
        expect(await refused(method, { ...params, target }), `${method} ${JSON.stringify(target)}`).toBe(
          'INVALID_PARAMS',
        );
      }
    }
    for (const method of ['system.ping', 'runtime.status', 'runtime.cleanup', 'runtime.shutdown']) {
      expect(await refused(method, { target: 'host' }), method).toBe('INVALID_PARAMS');
    }
    for (const session_id of ['ssh:none:s-1', 'container:none:', 'ssh:ssh:s-1', 'ssh:none:ssh:none:s-1']) {
      expect(await refused('session.info', { session_id }), session_id).toMatch(/^(INVALID_PARAMS|SESSION_NOT_FOUND)$/);
      expect(await refused('session.screen', { session_id }), session_id).toMatch(
        /^(INVALID_PARAMS|SESSION_NOT_FOUND)$/,
      );
    }
    expect(await refused('file.read', { path: '../x', target: 'host' })).toMatch(/^(FORBIDDEN|NOT_FOUND)$/);
    await lives();
  });
});

async function startDaemon(): Promise<{ client: RuntimeClient; lives: () => Promise<void> }> {
  const client: RuntimeClient = daemon.client();
  const { pid } = await client.call('runtime.status', {});
  const lives = async () => {
    expect(await client.call('exec.run', { command: 'echo alive' })).toMatchObject({ stdout: { data: 'alive\n' } });
    expect((await client.call('runtime.status', {})).pid).toBe(pid);
  };
  return { client, lives };
}

/** `fetch` cannot set the Host header. */
function hostStatus(url: string, host: string): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = net.connect(Number(port), hostname);
    socket.once('data', (bytes) => {
      resolve(Number(String(bytes).split(' ')[1]));
      socket.destroy();
    });
    socket.write(
      `POST /rpc HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Length: 2\r\n\r\n{}`,
    );
  });
}
