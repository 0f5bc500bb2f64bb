import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/tacho.ts';
import { openSessions } from './run-sessions.ts';

/** A PATH with these programs and no others. */
function onlyPrograms(...programs: string[]) {
  const folder = temporaryFolder();
  for (const name of programs) fs.symlinkSync(path.join('/usr/bin', name), path.join(folder, name));
  return { set: { PATH: folder } };
}

test('a session has the requested shell, and info names it', async () => {
  const { call } = openSessions();
  const version = 'test -n "$BASH_VERSION" && printf bash; test -n "$ZSH_VERSION" && printf zsh; echo " $0"';
  const kinds = { bash: 'bash bash\n', zsh: 'zsh zsh\n', sh: ' sh\n' } as const;
  for (const shell of ['bash', 'zsh', 'sh'] as const) {
    const { session_id, argv } = await call('session.create', { shell });
    expect(argv[0]).toBe(shell);
    expect((await call('exec.run', { session_id, command: version })).stdout.data).toBe(kinds[shell]);
  }
});

test('a session without a requested shell has bash, or sh if there is no bash', async () => {
  const { call } = openSessions();
  const shellOf = async (env?: { set: { PATH: string } }) => {
    const { session_id, argv } = await call('session.create', { env });
    expect((await call('exec.run', { session_id, command: 'echo "$((6 * 7))"' })).stdout.data).toBe('42\n');
    return argv[0];
  };
  expect(await shellOf()).toBe('bash');
  expect(await shellOf(onlyPrograms('sh', 'zsh'))).toBe('sh');
  expect(await shellOf(onlyPrograms())).toBe('/bin/sh');
});

test('a command without a session has a shell too', async () => {
  const { call } = openSessions();
  const run = async (env?: { set: { PATH: string } }) =>
    (await call('exec.run', { command: 'echo "$0"', env })).stdout.data;
  expect(await run()).toBe('bash\n');
  expect(await run(onlyPrograms('sh'))).toBe('sh\n');
});

test('a missing shell is refused with a remedy', async () => {
  const { sessions, call } = openSessions();
  await expect(call('session.create', { shell: 'zsh', env: onlyPrograms('bash', 'sh') })).rejects.toMatchObject({
    code: 'COMMAND_UNAVAILABLE',
    message: 'there is no zsh on the PATH of the session',
    facts: { program: 'zsh' },
    fix: expect.stringContaining('bash, zsh or sh'),
  });
  expect(sessions.list()).toEqual([]);
});

test('a terminal can request a shell too', async () => {
  const { call } = openSessions();
  expect((await call('session.create', { kind: 'pty', shell: 'zsh', kill_grace_ms: 100 })).argv).toEqual(['zsh']);
  const env = { inherit: 'none', ...onlyPrograms('sh') } as const;
  expect((await call('session.create', { kind: 'pty', env, kill_grace_ms: 100 })).argv).toEqual(['sh']);
});

test('`return` outside of a function ends a shell like a script; in bash it is an error', async () => {
  const { call } = openSessions();
  const ends = { bash: [2, 'idle'], zsh: [3, 'terminated'], sh: [3, 'terminated'] } as const;
  for (const shell of ['bash', 'zsh', 'sh'] as const) {
    const { session_id } = await call('session.create', { shell });
    const { exit_code, session_state } = await call('exec.run', { session_id, command: 'return 3' });
    expect([exit_code, session_state]).toEqual(ends[shell]);
  }
});
