import { expect, test } from 'vitest';
import { openSessions, untilPrinted } from './run-sessions.ts';
import { isRunning, openDescriptors, until, zombies } from './run-terminal.ts';

test('a program gets its arguments unchanged, and its streams and status are returned separately', async () => {
  const { call, sessions } = openSessions();
  const result = await call('exec.run', { argv: ['sh', '-c', 'printf "%s" "$0"; echo no >&2; exit 4', '$HOME *'] });
  expect(result).toMatchObject({
    exit_code: 4,
    signal: null,
    timed_out: false,
    closed: true,
    session_state: 'terminated',
    stdout: { data: '$HOME *', omitted: null },
    stderr: { data: 'no\n' },
  });
  await until(() => sessions.list().length === 0, 'the session of one command is forgotten');
});

test('the result names the signal that ended a program', async () => {
  const { call } = openSessions();
  expect(await call('exec.run', { argv: ['sh', '-c', 'kill -SEGV $$'] })).toMatchObject({
    exit_code: null,
    signal: 'SIGSEGV',
  });
});

test('a missing program is refused by name', async () => {
  const { call } = openSessions();
  const before = openDescriptors().length;
  await expect(call('exec.run', { argv: ['no-such-program'] })).rejects.toMatchObject({
    code: 'COMMAND_UNAVAILABLE',
    facts: { program: 'no-such-program' },
  });
  await expect(call('exec.run', { argv: ['true'], cwd: '/no/such/folder' })).rejects.toMatchObject({
    code: 'INVALID_PARAMS',
  });
  await until(() => openDescriptors().length <= before, 'every descriptor is closed');
});

test('a background process that keeps the output open does not delay the result', async () => {
  const { call } = openSessions();
  const result = await call('exec.run', { argv: ['sh', '-c', 'sleep 300 & echo $!'], kill_grace_ms: 100 });
  expect(result).toMatchObject({ exit_code: 0, closed: false });
  await until(() => !isRunning(Number(result.stdout.data)), 'it ends with its session');
});

test('background output right after the exit is in the result', async () => {
  const { call } = openSessions();
  // It prints as soon as the command has ended, without starting another program.
  const script = 'exec > >(read -r line; while kill -0 $$ 2>/dev/null; do :; done; echo "$line"); echo late';
  const result = await call('exec.run', { argv: ['bash', '-c', script] });
  expect(result).toMatchObject({ exit_code: 0, closed: true, stdout: { data: 'late\n' } });
});

test('a session of one program takes input, and can be read after its end', async () => {
  const under = openSessions();
  const { session_id } = await under.call('session.create', { kind: 'exec', argv: ['sort'] });
  await under.call('session.write', { session_id, data: 'b\na\n' });
  await under.call('session.write', {
    session_id,
    data: Buffer.from('c\n').toString('base64'),
    encoding: 'base64',
    end: true,
  });
  expect(await untilPrinted(under, session_id, 'c')).toBe('a\nb\nc\n');
  await under.sessions.find(session_id).whenClosed;
  expect(await under.call('session.info', { session_id })).toMatchObject({
    state: 'terminated',
    exited: true,
    closed: true,
    end: { exit_code: 0, reason: 'exited' },
    streams: { stdout: { start: 0, end: 6, closed: true } },
  });
  expect(await under.call('session.read', { session_id, wait_ms: 60_000, after: 6 })).toMatchObject({ closed: true });
});

test('a signal reaches the whole tree', async () => {
  const under = openSessions();
  const argv = ['sh', '-c', 'sleep 300 & echo ready; wait'];
  const { session_id } = await under.call('session.create', { kind: 'exec', argv });
  await untilPrinted(under, session_id, 'ready');
  expect(await under.call('session.signal', { session_id, signal: 'SIGTERM' })).toEqual({ reached: 2 });
  await under.sessions.find(session_id).whenClosed;
  expect((await under.call('session.info', { session_id })).end).toMatchObject({ signal: 'SIGTERM' });
});

test('many programs at once lose no byte and leave no process and no descriptor', async () => {
  const { call, sessions } = openSessions();
  await call('exec.run', { argv: ['true'] });
  const before = openDescriptors().length;
  const run = async (index: number) => {
    const { stdout, exit_code } = await call('exec.run', {
      argv: ['sh', '-c', `seq ${index} ${index + 500}; (exit 3)`],
    });
    const wanted = `${Array.from({ length: 501 }, (_, step) => index + step).join('\n')}\n`;
    expect({ exit_code, data: stdout.data }).toEqual({ exit_code: 3, data: wanted });
  };
  for (let round = 0; round < 10; round++)
    await Promise.all(Array.from({ length: 16 }, (_, index) => run(round * 16 + index)));
  await until(() => sessions.list().length === 0 && zombies().length === 0, 'nothing is left');
  await until(() => openDescriptors().length <= before, 'every descriptor is closed');
});
