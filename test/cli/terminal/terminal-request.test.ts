import { expect, test } from 'vitest';
import { type CreateOptions, createSession } from '../../../src/cli/terminal/terminal-create.ts';
import { type ExecOptions, execCommand } from '../../../src/cli/terminal/terminal-exec.ts';
import { sharedRequest } from '../../../src/cli/terminal/terminal-request.ts';

test('the command line becomes exactly one request', () => {
  expect(sharedRequest({})).toEqual({});
  expect(
    sharedRequest({
      cwd: '/srv',
      target: 'ssh:build-1',
      record: true,
      timeout: '90',
      killGrace: '0',
      env: ['MODE=ci', 'PATH'],
      inherit: 'none',
      includeEnv: ['CARGO_HOME'],
      excludeEnv: ['HOME'],
      memory: '2GiB',
      processes: '200',
      cpuPercent: '150',
      cpu: '1m',
      openFiles: '64',
      fileSize: '1MB',
      nice: '5',
      sandbox: true,
      network: true,
      readOnlyWorkspace: true,
      read: ['/opt', '/srv/data'],
      write: ['/var/cache'],
      hide: ['/srv/.env'],
      fixed: ['/srv/policy.yaml'],
    }),
  ).toEqual({
    cwd: '/srv',
    target: 'ssh:build-1',
    record: true,
    timeout_ms: 90_000,
    kill_grace_ms: 0,
    env: {
      set: { MODE: 'ci', PATH: process.env.PATH },
      inherit: 'none',
      include: ['CARGO_HOME'],
      exclude: ['HOME'],
    },
    limits: {
      memory_bytes: 2_147_483_648,
      processes: 200,
      cpu_percent: 150,
      cpu_seconds: 60,
      open_files: 64,
      file_bytes: 1_000_000,
      nice: 5,
    },
    sandbox: {
      network: 'on',
      workspace: 'read',
      read: ['/opt', '/srv/data'],
      write: ['/var/cache'],
      hide: ['/srv/.env'],
      fixed: ['/srv/policy.yaml'],
    },
  });
  expect(sharedRequest({ sandbox: true, profile: 'prod' })).toEqual({ sandbox: { profile: 'prod' } });
  expect(sharedRequest({ sandbox: true })).toEqual({ sandbox: {} });
  expect(sharedRequest({ cwd: 'src', sandbox: true, hide: ['.env'] })).toEqual({
    cwd: `${process.cwd()}/src`,
    sandbox: { hide: [`${process.cwd()}/.env`] },
  });
});

/** Options, the words after `--`, and the message. */
const REFUSED: readonly (readonly [CreateOptions, readonly string[], string])[] = [
  [{ memory: '2G' }, [], '--memory: "2G" is ambiguous: write 2GB or 2GiB'],
  [{ memory: '0' }, [], '--memory 0: has to be at least 1B'],
  [{ nice: '20' }, [], '--nice 20: has to be at most 19'],
  [{ nice: '-3' }, [], '--nice -3: not a whole number'],
  [{ cpu: '1500ms' }, [], '--cpu 1500ms: has to be whole seconds'],
  [{ processes: '0' }, [], '--processes 0: has to be at least 1'],
  [{ buffer: '1kB' }, [], '--buffer 1kB: has to be at least 4KiB'],
  [{ buffer: '1GiB' }, [], '--buffer 1GiB: has to be at most 256MiB'],
  [{ life: '100d' }, [], '--life 100d: has to be at most 24d'],
  [{ idle: '0' }, [], '--idle 0: must be greater than zero'],
  [{ linger: '1h' }, [], '--linger 1h: has to be at most 10m'],
  [{ name: 'n'.repeat(201) }, [], `--name ${'n'.repeat(201)}: has to be at most 200 characters`],
  [{ inherit: 'some' }, [], '--inherit some: has to be one of none, core, all'],
  [{ excludeEnv: ['A B'] }, [], '--exclude-env A B: not a name for a variable'],
  [{ target: 'build-1' }, [], '--target build-1: host, or a target of the configuration: ssh:name or container:name'],
  [{ target: 'ssh:b', cwd: 'src' }, [], '--cwd src: on ssh:b it has to be an absolute path'],
  [{ network: true }, [], '--network says what a sandbox shows, and there is none'],
  [{ readOnlyWorkspace: true }, [], '--read-only-workspace says what a sandbox shows, and there is none'],
  [{ hide: ['.env'] }, [], '--hide says what a sandbox shows, and there is none'],
  [{ profile: 'prod' }, [], '--profile says what a sandbox shows, and there is none'],
  [{ sandbox: true, profile: 'tight' }, [], '--profile tight: has to be one of dev, balanced, prod'],
  [{ sandbox: true, profile: 'prod', readOnlyWorkspace: true }, [], 'sandbox: in a profile the workspace is writable'],
  [{ kind: 'tty' }, [], '--kind tty is not known'],
  [{ kind: 'exec' }, [], 'an exec session needs a program'],
  [{ kind: 'shell' }, ['ls'], 'a shell session does not take a program'],
  [{ shell: 'fish' }, [], '--shell fish: has to be one of bash, zsh, sh'],
  [{ shell: 'sh' }, ['ls'], '--shell cannot be combined with a program after --'],
  [{ size: '80x24' }, [], 'a shell session has no size'],
  [{ size: '80' }, ['cat'], '--size 80: not a size of a terminal'],
  [{ size: '0x10' }, ['cat'], '--size 0x10: has to be at least 1'],
  [{ split: true }, [], 'the streams of a shell session are apart anyway'],
  [{ timeout: '5s' }, ['cat'], 'a pty session runs no commands that --timeout could end'],
];

test.each(REFUSED)('create refuses %j %j before anything is started', async (options, argv, message) => {
  // Not a folder: reaching the daemon would give another error.
  await expect(createSession({ workspace: '/no/such/folder', ...options }, argv)).rejects.toMatchObject({
    code: 'USAGE',
    message,
    fix: expect.stringMatching(/\S/),
  });
});

test('a command in a session takes no options of the session', async () => {
  const exec = (session: string | undefined, options: ExecOptions, words: readonly string[] = ['true']) =>
    execCommand(session, { workspace: '/no/such/folder', ...options }, words);
  await expect(exec('build', { openFiles: '64' })).rejects.toMatchObject({
    code: 'USAGE',
    message: '--open-files: a command in a session has what the session has',
  });
  await expect(exec('build', { timeout: 'soon' })).rejects.toMatchObject({ code: 'USAGE' });
  await expect(exec(undefined, { nice: '99' })).rejects.toMatchObject({ message: '--nice 99: has to be at most 19' });
  await expect(exec(undefined, {}, [])).rejects.toMatchObject({ message: 'there is no command' });
});
