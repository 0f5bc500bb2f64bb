import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findServer, type RuntimeClient } from '../../../src/runtime/index.ts';
import { connectMcp } from '../../runtime/mcp/connect-mcp.ts';
import { startSshServer } from '../../runtime/targets/ssh-server.ts';
import { stopDaemon, withPlaces } from './places.ts';
import { brief, openShell, printed } from './runtime.ts';

const places = withPlaces();

describe.each(['host', 'container:box-1', 'ssh:build-1'])('The same test file runs against %s', (target) => {
  const shellOf = (client: RuntimeClient) =>
    openShell({ workspace: '', call: (...call) => client.call(...call) }, { target });
  const ids = (sessions: { session_id: string }[]) => sessions.map(({ session_id }) => session_id);

  test('a shell keeps what commands change, with streams apart and each status', async () => {
    const { client } = places;
    const shell = await shellOf(client);
    expect(shell.id.startsWith('s-') ? 'host' : shell.id.replace(/:s-\w+$/, '')).toBe(target);
    await shell.run('cd /tmp; export MODE=fast; shout() { echo "$1" >&2; return 4; }');
    expect(brief(await shell.run('pwd; echo $MODE; shout no'))).toEqual(
      printed('/tmp\nfast\n', { stderr: 'no\n', exit_code: 4 }),
    );
    expect(ids((await client.call('session.list', {})).sessions)).toContain(shell.id);
    await client.call('session.destroy', { session_id: shell.id });
    await expect(shell.info()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  test('output is streamed byte for byte', async () => {
    const hash = createHash('sha256');
    const script = 'head -c 3000000 /dev/zero | tr "\\0" "\\351"; printf end';
    const result = await places.client.call(
      'exec.stream',
      { target, command: script, when_behind: 'wait' },
      ({ data, encoding }) => void hash.update(Buffer.from(data, encoding)),
    );
    expect({ exit: result.exit_code, bytes: result.stdout.to }).toEqual({ exit: 0, bytes: 3_000_003 });
    const expected = createHash('sha256').update(Buffer.alloc(3_000_000, 0o351)).update('end');
    expect(hash.digest('hex')).toBe(expected.digest('hex'));
  });

  test('a terminal takes keys and a size, and shows its screen', async () => {
    const { client } = places;
    const argv = ['bash', '-c', 'read line; stty size; echo "<$line>"'];
    const { session_id } = await client.call('session.create', { target, kind: 'pty', argv });
    await client.call('session.resize', { session_id, cols: 101, rows: 31 });
    await client.call('session.write', { session_id, data: 'hello\n', write_id: 'w1' });
    let text = '';
    for await (const bytes of client.follow(session_id)) text += bytes.toString();
    expect(text).toBe('hello\r\n31 101\r\n<hello>\r\n');
    const screen = await client.call('session.screen', { session_id, wait_ms: 20_000 });
    expect(screen).toMatchObject({ cols: 101, rows: 31, cursor: { row: 3, col: 0 }, settled: true });
    expect(screen.lines.slice(0, 4)).toEqual(['hello', '31 101', '<hello>', '']);
    expect((await client.call('session.info', { session_id })).end).toMatchObject({ exit_code: 0 });
  });

  test('a timeout and a cancel end a command, and its output so far is there', async () => {
    const { client } = places;
    const shell = await shellOf(client);
    const late = await shell.run('echo begun; sleep 600', { timeout_ms: 300 });
    expect([late.timed_out, late.stdout.data, late.session_state]).toEqual([true, 'begun\n', 'idle']);
    const running = shell.run('sleep 600', { exec_id: 'x-long' });
    await expect.poll(async () => (await shell.info()).exec_id).toBe('x-long');
    expect(await client.call('exec.cancel', { exec_id: 'x-long' })).toEqual({ canceled: true });
    expect((await running).canceled).toBe(true);
    expect(brief(await shell.run('echo on'))).toEqual(printed('on\n'));
  });

  test('files are those of its workspace, and no path leads out of it', async () => {
    const { client } = places;
    const data = Buffer.from([0, 255, 10, 200]);
    const wrote = await client.call('file.write', {
      target,
      path: 'bytes',
      data: data.toString('base64'),
      encoding: 'base64',
      mode: 0o600,
    });
    expect(wrote).toMatchObject({ path: 'bytes', type: 'file', size: 4, mode: 0o600 });
    const { stdout } = await client.call('exec.run', { target, command: 'cat bytes; ln -sfn /etc out; echo in > in' });
    expect(Buffer.from(stdout.data, stdout.encoding)).toEqual(data);
    const read = await client.call('file.read', { target, path: 'bytes', offset: 1, max_bytes: 2 });
    expect(read).toEqual({
      data: data.subarray(1, 3).toString('base64'),
      encoding: 'base64',
      size: 4,
      next: 3,
      end: false,
    });
    const { entries } = await client.call('file.list', { target });
    expect(entries.map(({ path: name, type }) => `${type} ${name}`)).toEqual(
      expect.arrayContaining(['file bytes', 'file in', 'link out']),
    );
    expect(await client.call('file.stat', { target, path: 'in' })).toMatchObject({ type: 'file', size: 3 });
    for (const name of ['../outside', '/etc/passwd', 'out/passwd', '.tacho/runtime/server.json']) {
      await expect(client.call('file.read', { target, path: name }), name).rejects.toMatchObject({
        code: expect.stringMatching(/^(FORBIDDEN|NOT_FOUND)$/),
      });
    }
    await expect(client.call('file.write', { target, path: 'out/x', data: '' })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    await expect(client.call('file.stat', { target, path: 'none' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('lists, stats and the status tell of it', async () => {
    const { client } = places;
    const { id } = await shellOf(client);
    const told = async (params: { target?: string }) => [
      ids((await client.call('session.list', params)).sessions).includes(id),
      ids((await client.call('system.stats', params)).sessions).includes(id),
    ];
    expect(await told({})).toEqual([true, true]);
    expect(await told({ target })).toEqual([true, true]);
    expect(await told({ target: 'host' })).toEqual(target === 'host' ? [true, true] : [false, false]);
    const { sessions } = await client.call('system.stats', { target });
    expect(sessions.find(({ session_id }) => session_id === id)).toMatchObject({ processes: 1 });
    const { targets } = await client.call('runtime.status', {});
    if (target !== 'host') expect(targets).toContainEqual({ target, connected: true, why: null });
  });
});

test('the tools of MCP work there as here', async () => {
  const { call } = await connectMcp(places.workspace);
  const target = 'ssh:build-1';
  await call('write_file', { target, path: 'by-tool', data: 'there\n' });
  expect((await call('read_file', { target, path: 'by-tool' })).structured.data).toBe('there\n');
  expect((await call('list_files', { target })).text).toContain('file 6 by-tool');
  expect((await call('run_program', { target, argv: ['cat', 'by-tool'] })).structured.stdout.text).toBe('there\n');
  const { session_id } = (await call('open_session', { target, kind: 'pty', argv: ['cat'] })).structured;
  await call('write_input', { session_id, data: 'typed\r' });
  const { structured } = await call('read_screen', { session_id, wait_for: 'typed', wait_ms: 20_000 });
  expect(structured.lines[0]).toBe('typed');
  expect((await call('list_sessions')).text).toContain(session_id);
  expect((await call('close_session', { session_id })).structured.state).toBe('terminated');
  const none = await call('read_file', { target: 'ssh:none', path: 'x' });
  expect(none.error).toMatchObject({ code: 'INVALID_PARAMS', fix: expect.stringContaining('targets.ssh') });
});

describe.each(['ssh', 'container'] as const)('Of %s', (kind) => {
  const target = { ssh: 'ssh:build-1', container: 'container:box-1' }[kind];
  const script = 'for i in 1 2; do seq 1 40000; read line; echo "<$line>"; done; (exit 7)';
  const part = (i: number) => `${Array.from({ length: 40_000 }, (_, j) => `${j + 1}\n`).join('')}<${i}>\n`;
  const expected = [1, 2].map(part).join('');

  /** Cuts in the middle of each part, and writes what the program waits for at its end. */
  function cutter(session_id: string): (printed: string) => void {
    let cuts = 0;
    return ({ length }) => {
      if (length <= cuts * part(1).length) return;
      places[kind].cut();
      const data = `${++cuts}\n`;
      void places.client.call('session.write', { session_id, data, write_id: `${session_id}-${cuts}` });
    };
  }

  test('cutting the connection mid-command and reconnecting loses nothing', async () => {
    const { client } = places;
    const before = places[kind].connections();
    const shell = await client.call('session.create', { target });
    let streamed = '';
    let cut = cutter(shell.session_id);
    const command = { session_id: shell.session_id, command: script };
    const result = await client.call('exec.stream', command, ({ data }) => {
      streamed += data;
      cut(streamed);
    });
    expect(result.exit_code).toBe(7);
    expect(streamed === expected).toBe(true);

    const { session_id } = await client.call('session.create', { target, kind: 'exec', argv: ['bash', '-c', script] });
    let read = '';
    cut = cutter(session_id);
    for await (const bytes of client.follow(session_id)) {
      read += bytes.toString();
      cut(read);
    }
    expect(read === expected).toBe(true);
    expect((await client.call('session.info', { session_id })).end).toMatchObject({ exit_code: 7 });
    expect(places[kind].connections() - before).toBeGreaterThan(3);
  });
});

test('a command in a container goes on when the process between it and us is killed', async () => {
  const { client, container } = places;
  const target = 'container:box-1';
  const { session_id } = await client.call('session.create', { target });
  const running = client.call('exec.run', { session_id, command: 'echo begun; read line; echo "got $line"' });
  const read = await client.call('session.read', { session_id, wait_ms: 20_000 });
  expect(read.data).toBe('begun\n');
  container.inside(container.settings.container, 'pkill', '-KILL', '-f', 'runtime --stdio');
  await client.call('session.write', { session_id, data: 'it\n', write_id: 'w1' });
  expect((await running).stdout.data).toBe('begun\ngot it\n');
});

test('sessions of a target outlive the daemon here; another daemon sees them, and may use them', async () => {
  const { here } = places;
  const [first, second] = [here(), here()];
  const { session_id } = await first.call('session.create', { target: 'ssh:build-1', name: 'shared' });
  const found = async (client: RuntimeClient) =>
    (await client.call('session.list', { target: 'ssh:build-1' })).sessions.find(
      (one) => one.session_id === session_id,
    );
  expect(await found(second)).toMatchObject({ name: 'shared', state: 'idle' });
  await second.call('exec.run', { session_id, command: 'kept=yes' });
  await first.call('runtime.shutdown', {});
  expect((await second.call('exec.run', { session_id, command: 'echo $kept' })).stdout.data).toBe('yes\n');
  await second.call('session.destroy', { session_id });
  expect(await found(here())).toBeUndefined();
});

test('two daemons that use each other tell of each session once', async () => {
  const { client, ssh, program, far, workspace } = places;
  const { session_id } = await client.call('session.create', { target: 'ssh:build-1' });
  const back = { ...ssh.settings, program, workspace };
  fs.mkdirSync(path.join(far, 'config'));
  fs.writeFileSync(path.join(far, 'config', 'tacho.yaml'), JSON.stringify({ targets: { ssh: { back } } }));
  const there = (await findServer(far))!;
  onTestFinished(() => there.close());
  await there.call('file.stat', { target: 'ssh:back', path: '.' });
  const count = async (from: RuntimeClient, id: string) => {
    const [{ sessions }, stats] = [await from.call('session.list', {}), await from.call('system.stats', {})];
    return [...sessions, ...stats.sessions].filter((one) => one.session_id.endsWith(id)).length;
  };
  const id = session_id.replace('ssh:build-1:', '');
  expect([await count(client, id), await count(there, id)]).toEqual([2, 2]);
});

test('a session that nobody uses for its grace is gone; one with a command that runs is not', async () => {
  const { here, ssh, program, folder } = places;
  const workspace = path.join(folder, 'grace');
  fs.mkdirSync(workspace);
  const client = here({ ssh: { brief: { ...ssh.settings, program, workspace, grace_ms: 1000 } } });
  const target = 'ssh:brief';
  const used = await client.call('session.create', { target });
  const running = client.call('exec.run', { session_id: used.session_id, command: 'read line; echo "got $line"' });
  const left = await client.call('session.create', { target });
  // Nobody is there meanwhile.
  ssh.cut();
  const info = ({ session_id }: { session_id: string }) => client.call('session.info', { session_id });
  await expect.poll(async () => (await info(left)).end?.reason).toBe('idle');
  expect((await info(used)).state).toBe('running');
  await client.call('session.write', { session_id: used.session_id, data: 'it\n', write_id: 'w1' });
  expect((await running).stdout.data).toBe('got it\n');
  await stopDaemon(workspace);
});

test('a target that went away is told, and keeps nobody waiting who asks about all', async () => {
  const { here, container } = places;
  const name = container.startAnother();
  const box = { ...container.settings, container: name, program: 'tacho-not-there', workspace: '/work' };
  const client = here({ container: { gone: box } });
  const target = 'container:gone';
  const { session_id } = await client.call('session.create', { target });
  expect((await client.call('runtime.status', {})).targets).toEqual([{ target, connected: true, why: null }]);
  container.remove(name);
  const [{ targets }, { sessions }, stats] = await Promise.all([
    client.call('runtime.status', {}),
    client.call('session.list', {}),
    client.call('system.stats', {}),
  ]);
  expect(targets).toEqual([{ target, connected: false, why: `there is no container ${name}` }]);
  expect([sessions, stats.sessions]).toEqual([[], []]);
  const refused = { code: 'NOT_FOUND', message: `there is no container ${name}` };
  await expect(client.call('session.info', { session_id })).rejects.toMatchObject(refused);
});

test('a machine that is away, is another or lets us not in, and names nobody gave are refused at once', async () => {
  const { here, ssh, container, folder, program } = places;
  const other = await startSshServer();
  onTestFinished(() => other.stop());
  const { host_key, key_file } = other.settings;
  fs.writeFileSync(path.join(folder, 'no-key'), 'no key');
  const build = { ...ssh.settings, program };
  const box = { ...container.settings, program: 'tacho-not-there' };
  const stopped = container.createAnother();
  const client = here({
    ssh: {
      foreign: { ...build, host_key },
      closed: { ...build, port: 1 },
      refused: { ...build, key_file },
      keyless: { ...build, key_file: path.join(folder, 'none') },
      garbled: { ...build, key_file: path.join(folder, 'no-key') },
      nowhere: { ...build, workspace: '/no/such/folder' },
    },
    container: {
      stopped: { ...box, container: stopped },
      none: { ...box, container: 'tacho-no-such-container' },
      nobody: { ...box, socket: path.join(folder, 'no.sock') },
    },
  });
  const user = ssh.settings.user;
  const refusals: [string, RegExp][] = [
    ['ssh:foreign', /^AUTH_FAILED: 127.0.0.1 has another host key than the settings say$/],
    ['ssh:refused', new RegExp(`^AUTH_FAILED: 127.0.0.1 does not let ${user} in with this key$`)],
    ['ssh:keyless', /^AUTH_FAILED: the key file of 127.0.0.1 cannot be read: ENOENT/],
    ['ssh:garbled', /^AUTH_FAILED: no ssh connection to 127.0.0.1: .*key/],
    ['ssh:closed', /^TARGET_UNREACHABLE: ssh:closed: no ssh connection to 127.0.0.1: connect ECONNREFUSED/],
    ['ssh:nowhere', /^COMMAND_UNAVAILABLE: tacho does not serve on ssh:nowhere: .*no folder/],
    ['container:stopped', new RegExp(`^TARGET_UNREACHABLE: container:stopped: the container ${stopped} does not run$`)],
    ['container:none', /^NOT_FOUND: there is no container tacho-no-such-container$/],
    ['container:nobody', /^TARGET_UNREACHABLE: container:nobody: the container .* cannot be reached: connect ENOENT/],
    ['ssh:nobody', /^INVALID_PARAMS: there is no target ssh:nobody$/],
    ['container:box-2', /^INVALID_PARAMS: there is no target container:box-2$/],
    ['ssh:__proto__', /^INVALID_PARAMS: there is no target ssh:__proto__$/],
    ['elsewhere', /^INVALID_PARAMS: [a-z.]+: target: host, or a target/],
  ];
  const outcome = (call: Promise<unknown>) =>
    call.then(
      () => 'let in',
      ({ code, message, fix }) => {
        if (code !== 'INVALID_PARAMS') expect(fix, message).toMatch(/^[A-Z]/);
        return `${code}: ${message}`;
      },
    );
  const asked = performance.now();
  await Promise.all(
    refusals.map(async ([target, expected]) => {
      expect(await outcome(client.call('session.create', { target }))).toMatch(expected);
      expect(await outcome(client.call('exec.run', { target, command: 'true' }))).toMatch(expected);
      expect(await outcome(client.call('file.read', { target, path: 'x' }))).toMatch(expected);
    }),
  );
  // None of them was waited for as for a connection that was lost.
  expect(performance.now() - asked).toBeLessThan(8000);
  expect((await client.call('runtime.status', {})).targets).toEqual([]);
});
