import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findServer, type RuntimeClient } from '../../../src/runtime/index.ts';
import { connectMcp } from '../../runtime/mcp/connect-mcp.ts';
import { startSshServer } from '../../runtime/targets/ssh-server.ts';
import { trustFolder } from '../../support/trust.ts';
import { stopDaemon, withPlaces } from './places.ts';
import { expectRefusals, lostConnectionLaws, targetLaws } from './target-laws.ts';

const places = withPlaces();

targetLaws(places, 'host');
targetLaws(places, 'ssh:build-1');
lostConnectionLaws(places, 'ssh');

test('the MCP tools work on a target', async () => {
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

test('sessions on a target outlive the local daemon; another daemon sees and uses them', async () => {
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
  expect(await found(places.client)).toBeUndefined();
});

test('two daemons that target each other list each session once', async () => {
  const { client, ssh, program, far, workspace } = places;
  const { session_id } = await client.call('session.create', { target: 'ssh:build-1' });
  const back = { ...ssh.settings, program, workspace };
  fs.mkdirSync(path.join(far, 'config'));
  fs.writeFileSync(path.join(far, 'config', 'tacho.yaml'), JSON.stringify({ targets: { ssh: { back } } }));
  // Processes started over ssh have no TACHO_HOME.
  onTestFinished(trustFolder(far, { env: {} }));
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

test('a session unused for its grace period ends; a session with a running command does not', async () => {
  const { here, ssh, program, folder } = places;
  const workspace = path.join(folder, 'grace');
  fs.mkdirSync(workspace);
  const client = here({ ssh: { brief: { ...ssh.settings, program, workspace, grace_ms: 3000 } } });
  const target = 'ssh:brief';
  const used = await client.call('session.create', { target });
  const running = client.call('exec.run', { session_id: used.session_id, command: 'read line; echo "got $line"' });
  const left = await client.call('session.create', { target });
  // From here on no client is connected.
  ssh.cut();
  const info = ({ session_id }: { session_id: string }) => client.call('session.info', { session_id });
  await expect.poll(async () => (await info(left)).end?.reason).toBe('idle');
  expect((await info(used)).state).toBe('running');
  await client.call('session.write', { session_id: used.session_id, data: 'it\n', write_id: 'w1' });
  expect((await running).stdout.data).toBe('got it\n');
  await stopDaemon(workspace);
});

test('refuses unreachable machines, a changed host key, a rejected key and unknown targets at once', async () => {
  const { here, ssh, folder, program } = places;
  const other = await startSshServer();
  onTestFinished(() => other.stop());
  const { host_key, key_file } = other.settings;
  fs.writeFileSync(path.join(folder, 'no-key'), 'no key');
  const build = { ...ssh.settings, program };
  const client = here({
    ssh: {
      foreign: { ...build, host_key },
      closed: { ...build, port: 1 },
      refused: { ...build, key_file },
      keyless: { ...build, key_file: path.join(folder, 'none') },
      garbled: { ...build, key_file: path.join(folder, 'no-key') },
      nowhere: { ...build, workspace: '/no/such/folder' },
    },
  });
  const user = ssh.settings.user;
  const refusals: [string, RegExp][] = [
    ['ssh:foreign', /^AUTH_FAILED: 127.0.0.1 has another host key than the settings say$/],
    ['ssh:refused', new RegExp(`^AUTH_FAILED: 127.0.0.1 does not let ${user} in with this key$`)],
    ['ssh:keyless', /^AUTH_FAILED: the key file of 127.0.0.1 cannot be read: ENOENT/],
    ['ssh:garbled', /^AUTH_FAILED: no ssh connection to 127.0.0.1: .*key/],
    ['ssh:closed', /^TARGET_UNREACHABLE: ssh:closed: no ssh connection to 127.0.0.1: connect ECONNREFUSED/],
    ['ssh:nowhere', /^COMMAND_UNAVAILABLE: tacho does not serve on ssh:nowhere: .*is not a folder/],
    ['ssh:nobody', /^INVALID_PARAMS: there is no target ssh:nobody$/],
    ['container:box-2', /^INVALID_PARAMS: there is no target container:box-2$/],
    ['ssh:__proto__', /^INVALID_PARAMS: there is no target ssh:__proto__$/],
    ['elsewhere', /^INVALID_PARAMS: [a-z.]+: target: host, or a target/],
  ];
  await expectRefusals(client, refusals);
  expect((await client.call('runtime.status', {})).targets).toEqual([]);
});
