import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { TachoError } from '../../../src/protocol/index.ts';
import { terminalFailure } from '../../../src/runtime/port/terminal-failure.ts';
import { command } from '../../acceptance/runtime/daemon.ts';
import { folderOnDisk } from '../../tools/commands/opened.ts';
import { openForTest, untilShown } from './opened.ts';

const never = new AbortController().signal;

test('a session that no agent of the workspace opened does not exist for a model', async () => {
  const { exec, type, daemon } = openForTest();
  await exec('true');
  const runtime = daemon.client();
  const sessions = [
    await runtime.call('session.create', { kind: 'pty', argv: ['cat'], name: 'mine' }),
    await runtime.call('session.create', { kind: 'pty', argv: ['cat'] }),
    await runtime.call('session.create', { kind: 'shell' }),
  ];
  for (const id of [...sessions.map(({ session_id }) => session_id), 's-000000000000', 'ssh:build:s-1', '', 'x\ny']) {
    await expect(type(id, 'rm -rf x\n')).rejects.toMatchObject({
      kind: 'not_found',
      retryable: false,
      message: expect.stringContaining('exec_command opens a new one'),
    });
    await expect(type(id, '')).rejects.toMatchObject({ kind: 'not_found' });
  }
  for (const { session_id } of sessions.slice(0, 2)) {
    expect(await runtime.call('session.read', { session_id })).toMatchObject({ data: '' });
  }
});

test('a terminal that a person has closed is not found', async () => {
  const { exec, type, daemon } = openForTest();
  const { sessionId } = await exec('cat', { yieldMs: 0 });
  await daemon.client().call('session.destroy', { session_id: sessionId! });
  await expect(type(sessionId!, 'x\n')).rejects.toMatchObject({ kind: 'not_found' });
});

test('typing into a terminal that has ended is refused, and its last output can still be read', async () => {
  const opened = openForTest();
  const { exec, type } = opened;
  const { sessionId, output } = await exec('echo first; until [ -e go ]; do sleep 0.02; done; echo last; exit 3', {
    yieldMs: 0,
  });
  await untilShown(opened, sessionId!, 'first', output);
  await exec('touch go');
  const id = sessionId!;
  const info = async () => await opened.daemon.client().call('session.info', { session_id: id });
  await expect.poll(async () => (await info()).closed).toBe(true);
  await expect(type(id, 'more\n')).rejects.toMatchObject({
    kind: 'conflict',
    message: expect.stringMatching(/has ended.*nothing was typed.*exec_command/s),
  });
  expect(await type(id, '')).toEqual({ sessionId: null, output: 'last\n', truncated: false, exitCode: 3 });
});

test('a full table of sessions is a failure that a later call can avoid', async () => {
  const workspace = path.join(folderOnDisk(), 'workspace');
  fs.mkdirSync(path.join(workspace, 'config'), { recursive: true });
  fs.writeFileSync(path.join(workspace, 'config/tacho.yaml'), 'runtime:\n  max_sessions: 2\n');
  const { exec, type } = openForTest({}, {}, workspace);
  const open = await Promise.all([exec('cat', { yieldMs: 0 }), exec('cat', { yieldMs: 0 })]);
  await expect(exec('true')).rejects.toMatchObject({
    kind: 'unavailable',
    retryable: true,
    data: { code: 'MAX_SESSIONS_REACHED' },
    message: expect.stringContaining('2 sessions'),
  });
  expect(await type(open[0]!.sessionId!, '\u0004')).toMatchObject({ exitCode: 0 });
  expect(await exec('true')).toMatchObject({ exitCode: 0 });
});

test('terminals are gone with their daemon, and the next command starts another one', async () => {
  const { exec, type, daemon, terminals } = openForTest();
  const { sessionId } = await exec('cat', { yieldMs: 0 });
  const { pid } = daemon.serverFile();
  const waiting = type(sessionId!, '');
  // Handled below; it may be rejected before.
  waiting.catch(() => {});
  await daemon.crash();
  const gone = {
    kind: 'unavailable',
    retryable: true,
    message: expect.stringMatching(/has ended, and its terminals with it\. exec_command starts a new one/),
  };
  await expect(waiting).rejects.toMatchObject(gone);
  await expect(type(sessionId!, 'x\n')).rejects.toMatchObject(gone);
  await terminals.close();
  expect(daemon.serverFile().pid).toBe(pid);
  expect(await exec('echo again')).toMatchObject({ output: 'again\n', exitCode: 0 });
  expect(daemon.serverFile().pid).not.toBe(pid);
  await expect(type(sessionId!, '')).rejects.toMatchObject({ kind: 'not_found' });
});

test('a daemon that cannot be started is a failure with its reason', async () => {
  const { exec, again, workspace } = openForTest({ server: { command: ['/no/such/tacho'] } });
  await expect(exec('true')).rejects.toMatchObject({
    kind: 'unavailable',
    message: expect.stringMatching(/could not be started.*ENOENT/s),
  });
  fs.writeFileSync(path.join(workspace, 'tacho.sh'), '#!/bin/sh\necho broken >&2; exit 3\n', { mode: 0o755 });
  const broken = again({ server: { command: [path.join(workspace, 'tacho.sh')] } });
  const request = { callId: 'c', argv: ['true'], cwd: workspace, env: {}, yieldMs: 0, maxOutputChars: 10 };
  await expect(broken.execCommand(request, never)).rejects.toMatchObject({
    kind: 'unavailable',
    message: expect.stringContaining('broken'),
  });
});

test('a daemon that hangs does not hang the agent', async () => {
  const { exec, type, daemon, again, workspace } = openForTest();
  const { sessionId } = await exec('cat', { yieldMs: 0 });
  const { pid } = daemon.serverFile();
  const hasty = again({ server: { command, answerTimeoutMs: 200 } });
  process.kill(pid, 'SIGSTOP');
  try {
    const waiting = { callKey: '1.call', sessionId: sessionId!, text: '', yieldMs: 100, maxOutputChars: 100 };
    const hung = { kind: 'unavailable', message: expect.stringContaining('did not answer') };
    await expect(hasty.writeStdin(waiting, never)).rejects.toMatchObject(hung);
    const request = { callId: 'c', argv: ['true'], cwd: workspace, env: {}, yieldMs: 0, maxOutputChars: 10 };
    await expect(hasty.execCommand(request, never)).rejects.toMatchObject(hung);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  expect(await type(sessionId!, '\u0004')).toMatchObject({ exitCode: 0 });
});

test('a daemon that does not know sandbox profiles is not used without one', () => {
  const refusal = 'session.create: sandbox: Unrecognized key: "profile"';
  expect(terminalFailure(new TachoError('INVALID_PARAMS', refusal))).toMatchObject({ kind: 'sandbox_denied' });
  expect(terminalFailure(new Error('a bug'))).toEqual(new Error('a bug'));
});

test('arguments that no program can get are refused', async () => {
  const { exec } = openForTest();
  const invalid = { kind: 'invalid_arguments', retryable: false };
  await expect(exec('true', { env: { 'A-B': '1' } })).rejects.toMatchObject(invalid);
  await expect(exec('true', { env: { A: 'a\0b' } })).rejects.toMatchObject(invalid);
  await expect(exec(`: ${'x'.repeat(140_000)}`)).rejects.toMatchObject(invalid);
});

test('a program that never reads takes no more than a few megabytes of input', async () => {
  const opened = openForTest();
  const { sessionId, output } = await opened.exec('stty raw -echo; echo ready; sleep 1000', { yieldMs: 50 });
  await untilShown(opened, sessionId!, 'ready', output);
  const megabyte = 'x'.repeat(1024 * 1024);
  let refused: unknown = null;
  for (let count = 0; count < 10 && refused === null; count++) {
    await opened.type(sessionId!, megabyte, { yieldMs: 0 }).catch((error) => (refused = error));
  }
  expect(refused).toMatchObject({ kind: 'unavailable', retryable: true, data: { code: 'RESOURCE_PRESSURE' } });
});
