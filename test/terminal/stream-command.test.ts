import { expect, test } from 'vitest';
import { openSessions } from './run-sessions.ts';

test('a refused command is refused as a stream too, and the runtime keeps working', async () => {
  const { call } = openSessions();
  const { session_id } = await call('session.create', {});
  const running = call('exec.run', { session_id, command: 'read line; exit 3' });
  await expect(call('exec.stream', { session_id, command: 'echo no' })).rejects.toMatchObject({ code: 'SESSION_BUSY' });
  await call('session.write', { session_id, data: 'go\n' });
  expect(await running).toMatchObject({ exit_code: 3, session_state: 'terminated' });
  await expect.poll(async () => (await call('session.info', { session_id })).closed).toBe(true);
  const late = call('exec.stream', { session_id, command: 'echo no' });
  await expect(late).rejects.toMatchObject({ code: 'SESSION_TERMINATED' });
  expect(await call('exec.run', { command: 'echo on' })).toMatchObject({ stdout: { data: 'on\n' } });
});

test('a stream of a command that ends its shell has all its output', async () => {
  const { call } = openSessions();
  const { session_id } = await call('session.create', {});
  let printed = '';
  const command = 'seq 1 1000; exec sh -c "echo last; exit 4"';
  const result = await call('exec.stream', { session_id, command }, ({ data }) => {
    printed += data;
  });
  expect(result).toMatchObject({ exit_code: 4, session_state: 'terminated' });
  expect(printed.split('\n').slice(-3)).toEqual(['1000', 'last', '']);
});
