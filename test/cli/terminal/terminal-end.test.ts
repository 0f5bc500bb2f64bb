import { expect, test } from 'vitest';
import { resizeSession, signalSession, writeSession } from '../../../src/cli/terminal/terminal-actions.ts';
import { attachSession } from '../../../src/cli/terminal/terminal-attach.ts';
import { execCommand } from '../../../src/cli/terminal/terminal-exec.ts';
import { readSession } from '../../../src/cli/terminal/terminal-read.ts';
import { sharedDaemon, startTacho } from '../../acceptance/runtime/daemon.ts';
import { finished } from '../../support/tacho.ts';
import { tachoIn } from '../tacho-in.ts';

const { workspace, client } = sharedDaemon();
const { run, here, jsonHere, atTerminal } = tachoIn(workspace);

test('wait exits with the code of the session, and has its own timeout', async () => {
  const daemon = client();
  const start = async (argv: string[], more = {}) =>
    (await daemon.call('session.create', { kind: 'exec', argv, ...more })).session_id;
  const failing = await start(['sh', '-c', 'read line; echo "$line"; exit 3']);
  const waiting = run(['terminal', 'wait', failing]);
  await here(['terminal', 'write', failing, 'go', '--enter']);
  expect(await waiting).toEqual({ code: 3, signal: null, stdout: '', stderr: '' });
  expect((await here(['terminal', 'read', failing])).stdout).toBe('go\n');
  const killed = await start(['sh', '-c', 'kill -TERM $$']);
  expect((await here(['terminal', 'wait', killed])).code).toBe(143);
  const long = await start(['sleep', '60']);
  expect(await here(['terminal', 'wait', long, '--timeout', '50ms'])).toMatchObject({
    code: 124,
    stderr: 'tacho: timed out; the session is still running\n',
  });
  await daemon.call('session.destroy', { session_id: long });
  expect(await here(['terminal', 'wait', long])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('[SESSION_NOT_FOUND]'),
  });
  // Waiting does not count as use.
  const { session_id } = await jsonHere(['terminal', 'create', '--idle', '300ms']);
  expect(await jsonHere(['terminal', 'wait', session_id])).toMatchObject({ end: { reason: 'idle' } });
});

test('Ctrl-C ends the command but not the session', async () => {
  await here(['terminal', 'create', '--name', 'interrupted']);
  const running = atTerminal(['terminal', 'exec', 'interrupted'], ['echo begun; exec 2>/dev/null; sleep 300']);
  await running.printed('begun');
  expect(await jsonHere(['terminal', 'exec', 'interrupted'], ['true'])).toMatchObject({
    error: { code: 'SESSION_BUSY', fix: expect.stringContaining('tacho terminal signal s-') },
  });
  await running.terminal.write(Buffer.from('\x03'));
  await running.terminal.ended;
  expect(running.text()).toContain('code 130');
  expect(await here(['terminal', 'exec', 'interrupted'], ['echo', 'again'])).toMatchObject({
    code: 0,
    stdout: 'again\n',
  });
});

test('a command ends when its output is closed', async () => {
  const { session_id } = await client().call('session.create', { kind: 'shell' });
  const child = startTacho([
    'terminal',
    'exec',
    session_id,
    '--workspace',
    workspace,
    '--',
    'while :; do echo x; done',
  ]);
  child.stdout!.once('data', () => child.stdout!.destroy());
  expect(await finished(child)).toMatchObject({ code: 141, stderr: '' });
  expect(await client().call('session.info', { session_id })).toMatchObject({ state: 'idle' });
});

test('session errors include a remedy', async () => {
  const daemon = client();
  const shell = await daemon.call('session.create', { kind: 'shell', name: 'build' });
  const { session_id: pty } = await daemon.call('session.create', { kind: 'pty', argv: ['cat'] });
  const { session_id: over } = await daemon.call('session.create', { kind: 'exec', argv: ['true'], name: 'over' });
  await expect.poll(() => daemon.call('session.info', { session_id: over })).toMatchObject({ closed: true });
  const inWorkspace = { workspace };
  await expect(signalSession('over', 'int', inWorkspace)).rejects.toMatchObject({
    code: 'SESSION_TERMINATED',
    fix: `See how it ended: tacho terminal info ${over}. Read its output: tacho terminal read ${over}.`,
  });
  await expect(writeSession('over', 'x', inWorkspace)).rejects.toMatchObject({ code: 'SESSION_TERMINATED' });
  await expect(signalSession('build', 'nonsense', inWorkspace)).rejects.toMatchObject({ code: 'USAGE' });
  await expect(attachSession('build', inWorkspace)).rejects.toMatchObject({ message: 'a shell session has no screen' });
  await expect(resizeSession('build', '80x24', inWorkspace)).rejects.toMatchObject({
    message: 'a shell session has no size',
  });
  await expect(resizeSession(pty, '80', inWorkspace)).rejects.toMatchObject({ code: 'USAGE' });
  await expect(readSession(pty, { ...inWorkspace, stream: 'stderr' })).rejects.toMatchObject({
    message: 'this pty session has one stream, stdout',
  });
  await expect(execCommand(pty, inWorkspace, ['ls'])).rejects.toMatchObject({
    message: `${pty} is of kind pty and runs no commands`,
  });
  const nothing = 'nothing runs in it that SIGUSR1 could reach\n';
  expect((await here(['terminal', 'signal', shell.session_id, '10'])).stdout).toBe(nothing);
  expect((await here(['terminal', 'resize', pty, '70x20'])).code).toBe(0);
  expect(await daemon.call('session.info', { session_id: pty })).toMatchObject({ cols: 70, rows: 20 });
});
