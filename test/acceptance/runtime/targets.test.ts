import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findServer, type RuntimeClient } from '../../../src/runtime/index.ts';
import { type PodmanContainer, startContainer } from '../../runtime/targets/podman-container.ts';
import { type SshServer, startSshServer } from '../../runtime/targets/ssh-server.ts';
import { command, daemonOf } from './daemon.ts';
import { brief, openShell, printed } from './runtime.ts';
import { buildSingleFile, singleFile } from './single-file.ts';

const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-targets-')));
const far = path.join(folder, 'far');
let ssh: SshServer;
let container: PodmanContainer;

beforeAll(async () => {
  await buildSingleFile();
  fs.mkdirSync(far);
  // What a machine has on its PATH on which tacho was installed.
  fs.writeFileSync(
    path.join(folder, 'tacho'),
    `#!/bin/sh\nexec ${command.map((word) => `'${word}'`).join(' ')} "$@"\n`,
  );
  fs.chmodSync(path.join(folder, 'tacho'), 0o755);
  [ssh, container] = await Promise.all([startSshServer(), startContainer()]);
}, 240_000);

afterAll(async () => {
  await stopDaemon(far);
  await Promise.all([ssh?.stop(), container?.stop()]);
  fs.rmSync(folder, { recursive: true, force: true });
}, 60_000);

/** A daemon here that knows the other two places. */
function here(more: { ssh?: object } = {}): RuntimeClient {
  const { workspace, client } = daemonOf();
  const build = { ...ssh.settings, program: path.join(folder, 'tacho'), workspace: far };
  const targets = {
    single_file: singleFile,
    ssh: { 'build-1': build, ...more.ssh },
    container: { 'box-1': { ...container.settings, program: 'tacho-not-there', workspace: '/work' } },
  };
  fs.mkdirSync(path.join(workspace, 'config'));
  fs.writeFileSync(path.join(workspace, 'config', 'tacho.yaml'), JSON.stringify({ targets }));
  return client();
}

async function stopDaemon(workspace: string): Promise<void> {
  const client = await findServer(workspace);
  await client?.call('runtime.shutdown', {});
  client?.close();
}

describe.each(['host', 'container:box-1', 'ssh:build-1'])('The same test file runs against %s', (target) => {
  test('a shell keeps what commands change, with streams apart and each status', async () => {
    const client = here();
    const shell = await openShell({ workspace: '', call: (...call) => client.call(...call) }, { target });
    expect(shell.id.startsWith('s-') ? 'host' : shell.id.replace(/:s-\w+$/, '')).toBe(target);
    await shell.run('cd /tmp; export MODE=fast; shout() { echo "$1" >&2; return 4; }');
    expect(brief(await shell.run('pwd; echo $MODE; shout no'))).toEqual(
      printed('/tmp\nfast\n', { stderr: 'no\n', exit_code: 4 }),
    );
    const { sessions } = await client.call('session.list', {});
    expect(sessions.map(({ session_id }) => session_id)).toContain(shell.id);
    await client.call('session.destroy', { session_id: shell.id });
    await expect(shell.info()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  test('output is streamed byte for byte', async () => {
    const client = here();
    const hash = createHash('sha256');
    const script = 'head -c 3000000 /dev/zero | tr "\\0" "\\351"; printf end';
    const result = await client.call(
      'exec.stream',
      { target, command: script, when_behind: 'wait' },
      ({ data, encoding }) => void hash.update(Buffer.from(data, encoding)),
    );
    expect({ exit: result.exit_code, bytes: result.stdout.to }).toEqual({ exit: 0, bytes: 3_000_003 });
    const expected = createHash('sha256').update(Buffer.alloc(3_000_000, 0o351)).update('end');
    expect(hash.digest('hex')).toBe(expected.digest('hex'));
  });

  test('a terminal takes keys and a size', async () => {
    const client = here();
    const argv = ['bash', '-c', 'read line; stty size; echo "<$line>"'];
    const { session_id } = await client.call('session.create', { target, kind: 'pty', argv });
    await client.call('session.resize', { session_id, cols: 101, rows: 31 });
    await client.call('session.write', { session_id, data: 'hello\n', write_id: 'w1' });
    let text = '';
    for await (const bytes of client.follow(session_id)) text += bytes.toString();
    expect(text).toBe('hello\r\n31 101\r\n<hello>\r\n');
    expect((await client.call('session.info', { session_id })).end).toMatchObject({ exit_code: 0 });
  });

  test('a timeout and a cancel end a command, and its output so far is there', async () => {
    const client = here();
    const shell = await openShell({ workspace: '', call: (...call) => client.call(...call) }, { target });
    const late = await shell.run('echo begun; sleep 600', { timeout_ms: 300 });
    expect([late.timed_out, late.stdout.data, late.session_state]).toEqual([true, 'begun\n', 'idle']);
    const running = shell.run('sleep 600', { exec_id: 'x-long' });
    await expect.poll(async () => (await shell.info()).exec_id).toBe('x-long');
    expect(await client.call('exec.cancel', { exec_id: 'x-long' })).toEqual({ canceled: true });
    expect((await running).canceled).toBe(true);
    expect(brief(await shell.run('echo on'))).toEqual(printed('on\n'));
  });
});

test('cutting the ssh connection mid-command and reconnecting loses nothing', async () => {
  const client = here();
  const target = 'ssh:build-1';
  const count = 'for i in $(seq 1 150); do seq $i $((i + 100)); sleep 0.005; done; exit 7';
  const expected = Array.from({ length: 150 }, (_, i) =>
    Array.from({ length: 101 }, (_, j) => `${i + 1 + j}\n`).join(''),
  );
  let streamed = '';
  let pieces = 0;
  const before = ssh.connections();
  const result = await client.call('exec.stream', { target, command: count }, ({ data }) => {
    streamed += data;
    if (++pieces % 15 === 0) ssh.cut();
  });
  expect(result.exit_code).toBe(7);
  expect(streamed).toBe(expected.join(''));
  expect(ssh.connections() - before).toBeGreaterThan(2);

  const { session_id } = await client.call('session.create', { target, kind: 'exec', argv: ['bash', '-c', count] });
  let read = '';
  for await (const bytes of client.follow(session_id)) {
    read += bytes.toString();
    if (read.length % 3 === 0) ssh.cut();
  }
  expect(read).toBe(expected.join(''));
  expect((await client.call('session.info', { session_id })).end).toMatchObject({ exit_code: 7 });
}, 60_000);

test('sessions of a target outlive the daemon here; their ids say where they are', async () => {
  const first = here();
  const { session_id } = await first.call('session.create', { target: 'ssh:build-1' });
  await first.call('exec.run', { session_id, command: 'kept=yes' });
  await first.call('runtime.shutdown', {});
  const { stdout } = await here().call('exec.run', { session_id, command: 'echo $kept' });
  expect(stdout.data).toBe('yes\n');
});

test('where tacho is missing the single executable is copied, once, and nothing half copied is ever used', async () => {
  const workspace = path.join(folder, 'bare');
  fs.mkdirSync(workspace);
  const client = here({ ssh: { bare: { ...ssh.settings, program: 'tacho-not-there', workspace } } });
  const say = () => client.call('exec.run', { target: 'ssh:bare', command: 'echo hi' });
  const bin = path.join(ssh.folder, 'cache', 'tacho', 'bin');
  const copies = () => (fs.existsSync(bin) ? fs.readdirSync(bin) : []);
  const first = say();
  await expect.poll(() => copies().map((name) => fs.statSync(path.join(bin, name)).size > 0)).toEqual([true]);
  ssh.cut();
  expect((await first).stdout.data).toBe('hi\n');
  await expect.poll(copies).toEqual([expect.stringMatching(/^tacho-[0-9a-f]{16}$/)]);
  const [copy] = copies();
  expect(fs.statSync(path.join(ssh.folder, 'cache/tacho/bin', copy!))).toMatchObject({ mode: 0o100700 });
  await client.call('runtime.shutdown', {});
  expect((await say()).stdout.data).toBe('hi\n');
  expect(copies()).toEqual([copy]);
  await stopDaemon(workspace);
}, 120_000);

test('a machine with another host key, a key that opens nothing, and names nobody gave are refused', async () => {
  const other = await startSshServer();
  const { host_key, key_file } = other.settings;
  await other.stop();
  fs.writeFileSync(path.join(folder, 'no-key'), 'no key');
  const build = ssh.settings;
  const client = here({
    ssh: {
      foreign: { ...build, host_key },
      closed: { ...build, port: 1 },
      keyless: { ...build, key_file },
      garbled: { ...build, key_file: path.join(folder, 'no-key') },
      nowhere: { ...build, program: path.join(folder, 'tacho'), workspace: '/no/such/folder' },
    },
  });
  const refused = async (target: string) =>
    await client.call('session.create', { target }).then(
      () => 'let in',
      ({ code, message }) => `${code}: ${message}`,
    );
  expect(await refused('ssh:foreign')).toBe('AUTH_FAILED: 127.0.0.1 has another host key than the settings say');
  expect(await refused('ssh:keyless')).toMatch(/^AUTH_FAILED: the key file of 127.0.0.1 cannot be read/);
  expect(await refused('ssh:garbled')).toMatch(/^AUTH_FAILED: /);
  expect(await refused('ssh:closed')).toMatch(/^SERVER_UNREACHABLE: no ssh connection to 127.0.0.1/);
  expect(await refused('ssh:nowhere')).toMatch(
    /^COMMAND_UNAVAILABLE: tacho does not serve on ssh:nowhere: .*no folder/,
  );
  expect(await refused('ssh:unknown')).toBe('INVALID_PARAMS: there is no target ssh:unknown');
  expect(await refused('container:unknown')).toBe('INVALID_PARAMS: there is no target container:unknown');
  expect(await refused('elsewhere')).toMatch(/^INVALID_PARAMS: session.create: target: host, or a target/);
});
