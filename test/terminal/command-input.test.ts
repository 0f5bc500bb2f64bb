import { expect, test } from 'vitest';
import { openSessions } from './run-sessions.ts';
import { openDescriptors, until } from './run-terminal.ts';

const BYTES = Buffer.from([0, 255, 10, 0, 13, 200]);
const base64 = (bytes: Buffer) => ({ data: bytes.toString('base64'), encoding: 'base64' as const });

test('a command without a session reads its input to the end', async () => {
  const { call } = openSessions();
  const run = async (stdin: { data: string; encoding?: 'base64' }) =>
    (await call('exec.run', { argv: ['cat'], stdin, encoding: 'base64' })).stdout.data;
  expect(await run({ data: 'no line end, ünïcode' })).toBe(Buffer.from('no line end, ünïcode').toString('base64'));
  expect(await run(base64(BYTES))).toBe(BYTES.toString('base64'));
  expect(await run({ data: '' })).toBe('');
});

test('a program that does not read its input still ends', async () => {
  const { call } = openSessions();
  const stdin = { data: 'x'.repeat(2_000_000) };
  expect(await call('exec.run', { argv: ['true'], stdin })).toMatchObject({ exit_code: 0 });
});

test('no client can write to a command that has its own input', async () => {
  const { call, sessions } = openSessions();
  const running = call('exec.run', { command: 'cat; sleep 600', stdin: { data: 'all' }, exec_id: 'x-own' });
  await expect.poll(() => sessions.list()[0]?.streams.stdout?.end).toBe(3);
  const { session_id } = sessions.list()[0]!.info();
  await expect(call('session.write', { session_id, data: 'more' })).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
  await call('exec.cancel', { exec_id: 'x-own' });
  expect(await running).toMatchObject({ canceled: true, stdout: { data: 'all' } });
});

test.each(['bash', 'zsh', 'sh'] as const)('in %s each command of a session reads its own input', async (shell) => {
  const { call } = openSessions();
  const { session_id } = await call('session.create', { shell });
  const run = (command: string, stdin?: { data: string; encoding?: 'base64' } | 'empty') =>
    call('exec.run', { session_id, command, stdin });
  expect((await run('cat', { data: 'first' })).stdout.data).toBe('first');
  expect((await run('cat | wc -c', { data: 'x'.repeat(3_000_000) })).stdout.data.trim()).toBe('3000000');
  expect((await run('od -An -tu1', base64(BYTES))).stdout.data.trim().split(/\s+/).map(Number)).toEqual([...BYTES]);
  // A shorter input after a longer one, read by the shell itself, which keeps running.
  expect((await run('read -r kept; cd /; false', { data: 'kept\nrest' })).exit_code).toBe(1);
  expect((await run('echo "$? $kept $PWD"; cat', 'empty')).stdout.data).toBe('1 kept /\n');
  // The session's input is unchanged, and commands do not inherit the descriptors of the shell.
  const listed = await run('ls /proc/self/fd', { data: '' });
  expect(listed.stdout.data.trim().split('\n')).toEqual(['0', '1', '2', '3']);
  const waiting = run('read -r line; echo "got $line"');
  await call('session.write', { session_id, data: 'later\n' });
  expect((await waiting).stdout.data).toBe('got later\n');
});

test('a timed-out command leaves none of its input to the next one', async () => {
  const { call } = openSessions();
  const { session_id } = await call('session.create', {});
  const stdin = { data: 'a\nb\n' };
  const ended = await call('exec.run', { session_id, command: 'read -r x; sleep 600', stdin, timeout_ms: 100 });
  expect(ended.timed_out).toBe(true);
  expect(await call('exec.run', { session_id, command: 'cat', stdin: { data: '' } })).toMatchObject({
    exit_code: 0,
    stdout: { data: '' },
  });
});

test('sessions leave no descriptor open, also if they could not be opened', async () => {
  const { call } = openSessions();
  const open = async () =>
    await call('session.destroy', await call('session.create', {}).then(({ session_id }) => ({ session_id })));
  await open();
  const before = openDescriptors().length;
  // More often than descriptors of earlier tests may be closed meanwhile.
  for (let count = 0; count < 20; count++) {
    await open();
    await expect(call('session.create', { env: { set: { PATH: '/nowhere' } }, shell: 'zsh' })).rejects.toThrow();
    await expect(call('session.create', { limits: { open_files: 2_147_483_647 } })).rejects.toThrow();
  }
  await until(() => openDescriptors().length <= before, 'every descriptor is closed');
});
