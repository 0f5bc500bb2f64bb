import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findServer } from '../../../src/runtime/index.ts';
import { probeBubblewrap } from '../../../src/sandbox/index.ts';
import { finished, projectRoot, removeFolder, tachoCommand, temporaryFolder, until } from '../../support/tacho.ts';
import { isRunning } from '../../terminal/run-terminal.ts';
import { type DaemonUnderTest, daemonOf, startTacho } from '../runtime/daemon.ts';
import { openShell, type RuntimeUnderTest, readAll } from '../runtime/runtime.ts';
import { ESCAPE_WAYS, type EscapeStage, TYPING_WAYS } from './escape-ways.ts';
import { leftSleeping, uniqueSeconds } from './outliving-ways.ts';

const works = 'program' in (await probeBubblewrap('off'));
const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-test-')));
const workspace = path.join(folder, 'workspace');
const data = path.join(workspace, 'data');
const inner = path.join(workspace, 'inner');
const later = path.join(workspace, 'later');
const outside = path.join(folder, 'outside');
const NOBODY_UID = 65_534;
const KEPT = ['config/tacho.yaml', '.env', '.bashrc'];
const server = net.createServer((socket) => socket.end());
let recorder: ChildProcess;
let recorded: Promise<unknown>;
let daemon: DaemonUnderTest;
let runtime: RuntimeUnderTest;
let stage: EscapeStage;

function prepareWorkspace(root: string): void {
  for (const name of ['inner', 'config']) fs.mkdirSync(path.join(root, name), { recursive: true });
  for (const repository of [root, path.join(root, 'inner')]) execFileSync('git', ['init', '-q', repository]);
  for (const name of KEPT) fs.writeFileSync(path.join(root, name), '# kept\n');
}

beforeAll(async () => {
  for (const place of [later, outside]) fs.mkdirSync(place, { recursive: true });
  prepareWorkspace(workspace);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const env = { TACHO_HOME: data };
  recorder = spawn(process.execPath, [tachoCommand, 'run', '--', 'sleep', '1000'], {
    cwd: workspace,
    env: { ...process.env, ...env },
    stdio: 'ignore',
  });
  recorded = finished(recorder);
  const socketsOf = () => (fs.existsSync(path.join(data, 'sock')) ? fs.readdirSync(path.join(data, 'sock')) : []);
  const socket = await until(() => socketsOf().find((name) => name.endsWith('.sock')));
  const handle = path.basename(socket, '.sock');
  daemon = daemonOf(workspace, env, afterAll);
  const innerDaemon = daemonOf(inner, env, afterAll);
  await innerDaemon.client().call('system.ping', {});
  const client = daemon.client();
  await client.call('system.ping', {});
  runtime = { workspace, call: client.call.bind(client) };
  const { port } = server.address() as net.AddressInfo;
  const { pid, secret } = daemon.serverFile();
  const controlSecret = path.join(data, 'sock', `${handle}.secret`);
  const control = fs.existsSync(controlSecret) ? fs.readFileSync(controlSecret, 'utf8') : '';
  const secrets = { own: secret, inner: innerDaemon.serverFile().secret, control };
  const tacho = `${process.execPath} ${tachoCommand}`;
  stage = { workspace, data, handle, inner, later, secrets, outside, pid, port, tacho };
});

/** Runs after the hooks that end the daemons. */
afterAll(async () => {
  recorder.kill('SIGTERM');
  await recorded;
  server.close();
  removeFolder(folder);
});

describe('a sandboxed program cannot escape', () => {
  test('by any of the known ways', async () => {
    const sandbox = { read: [projectRoot] };
    if (!works) {
      const refused = { code: 'LIMIT_UNAVAILABLE', facts: { limits: ['sandbox'] } };
      return await expect(openShell(runtime, { sandbox })).rejects.toMatchObject(refused);
    }
    const shell = await openShell(runtime, { sandbox });
    const laterDaemon = daemonOf(later, { TACHO_HOME: data }, afterAll);
    await laterDaemon.client().call('system.ping', {});
    const escaped: string[] = [];
    for (const [way, script] of Object.entries(ESCAPE_WAYS)) {
      const { stdout } = await shell.run(`( ${script(stage)}\n) 2>/dev/null`);
      if (stdout.data.includes('ESCAPED')) escaped.push(way);
      for (const name of fs.readdirSync(outside)) {
        escaped.push(`${way}: made ${name}`);
        fs.rmSync(path.join(outside, name));
      }
    }
    await runtime.call('session.destroy', { session_id: shell.id });
    if (recorder.exitCode !== null) escaped.push('ended a run');
    expect(escaped).toEqual([]);
    expect(Object.keys(ESCAPE_WAYS).length + Object.keys(TYPING_WAYS).length).toBeGreaterThanOrEqual(40);
    const kept = KEPT.map((name) => fs.readFileSync(path.join(workspace, name), 'utf8'));
    expect(kept).toEqual(KEPT.map(() => '# kept\n'));
    // Placeholders for missing files are removed with the session.
    await expect
      .poll(() => ['.npmrc', '.git/commondir'].filter((name) => fs.existsSync(path.join(workspace, name))))
      .toEqual([]);
  });

  test('by typing into its terminal, where job control still works', async () => {
    if (!works) return;
    const escaped: string[] = [];
    for (const [way, script] of Object.entries(TYPING_WAYS)) {
      const argv = ['perl', '-e', script];
      const { session_id } = await runtime.call('session.create', { kind: 'pty', argv, sandbox: {} });
      if ((await readAll(runtime, session_id)).includes('ESCAPED')) escaped.push(way);
    }
    expect(escaped).toEqual([]);
    const argv = ['bash', '--norc', '-i'];
    const { session_id } = await runtime.call('session.create', { kind: 'pty', argv, sandbox: {} });
    const type = (data: string) => runtime.call('session.write', { session_id, data });
    const shown = (wait_for: string) => runtime.call('session.screen', { session_id, wait_for, wait_ms: 60_000 });
    const seconds = uniqueSeconds();
    await type(`sleep ${seconds}\r`);
    await expect.poll(() => leftSleeping(seconds, { settled: true })).toHaveLength(1);
    await type('\u001a');
    expect((await shown('Stopped')).lines.join('\n')).toContain('Stopped');
    // It stops itself, so only fg lets it go on.
    await type('sh -c \'kill -TSTP $$; exit 7\'; fg; echo "back $?"\r');
    expect((await shown('back 7')).lines.join('\n')).toContain('back 7');
    await runtime.call('session.destroy', { session_id });
  });

  test('by posing as a daemon to clients outside', async () => {
    if (!works) return;
    const shell = await openShell(runtime, { sandbox: { read: [projectRoot] } });
    const posed = path.join(workspace, 'posed');
    await shell.run(`mkdir posed; ${stage.tacho} runtime serve --workspace ${posed} >/dev/null 2>&1 &`);
    await until(() => fs.existsSync(path.join(posed, '.tacho/runtime/server.json')));
    await expect(findServer(posed)).rejects.toMatchObject({ code: 'AUTH_FAILED' });
    await runtime.call('session.destroy', { session_id: shell.id });
  });

  test('and its placeholders are removed after its daemon was killed', async () => {
    if (!works) return;
    const killed = daemonOf();
    const placeholderExists = () => fs.existsSync(path.join(killed.workspace, '.npmrc'));
    await killed.client().call('session.create', { sandbox: {} });
    expect(placeholderExists()).toBe(true);
    await killed.crash();
    await killed.client().call('system.ping', {});
    expect(placeholderExists()).toBe(false);
  });

  test('by any of the known ways, when tacho runs as an unprivileged user', async () => {
    const root = fs.realpathSync(temporaryFolder());
    const place = { ...stage, workspace: root, data: path.join(root, 'data'), inner: path.join(root, 'inner') };
    prepareWorkspace(root);
    fs.chmodSync(outside, 0o777);
    execFileSync('chown', ['-R', `${NOBODY_UID}:${NOBODY_UID}`, root]);
    const who = process.getuid!() === 0 ? { uid: NOBODY_UID, gid: NOBODY_UID } : {};
    const env = { HOME: root, TACHO_HOME: place.data };
    const tacho = (...args: string[]) => finished(startTacho(args, { ...who, cwd: root, env }));
    expect(await tacho('run', '--', 'true')).toMatchObject({ code: 0 });
    const scripts = Object.entries(ESCAPE_WAYS).map(
      ([way, script]) => `( ${script(place)}\n) 2>&1 | sed 's/^ESCAPED$/ESCAPED: ${way}/'`,
    );
    const sandboxed = await tacho(
      'terminal',
      'exec',
      '--sandbox',
      '--read',
      projectRoot,
      '--',
      'bash',
      '-c',
      scripts.join('\n'),
    );
    const { pid } = JSON.parse(fs.readFileSync(path.join(root, '.tacho/runtime/server.json'), 'utf8'));
    process.kill(pid, 'SIGTERM');
    await expect.poll(() => isRunning(pid)).toBe(false);
    if (sandboxed.stderr.includes('LIMIT_UNAVAILABLE')) return;
    expect(sandboxed.stdout.split('\n').filter((line) => line.startsWith('ESCAPED'))).toEqual([]);
    expect(sandboxed.stdout).toContain('Operation not permitted');
    expect(fs.readdirSync(outside)).toEqual([]);
  });
});
