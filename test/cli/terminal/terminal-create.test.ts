import fs from 'node:fs';
import { expect, test } from 'vitest';
import { withSession } from '../../../src/cli/terminal/terminal-client.ts';
import { daemonOf, sharedDaemon } from '../../acceptance/runtime/daemon.ts';
import { temporaryFolder } from '../../support/tacho.ts';
import { tachoIn } from '../tacho-in.ts';

const { workspace, client } = sharedDaemon();
const { here, jsonHere } = tachoIn(workspace);

test('a session gets all requested options', async () => {
  fs.mkdirSync(`${workspace}/src`);
  const created = await jsonHere(
    ['terminal', 'create', '--cwd', `${workspace}/src`, '--inherit', 'none', '-e', 'ONE=1', '--env', 'TWO=2'].concat(
      ['--open-files', '64', '--file-size', '1MB', '--nice', '3', '--cpu', '60s', '--life', '1h', '--idle', '10m'],
      ['--split', '--size', '100x30', '--buffer', '4KiB', '-n', 'all', '--kill-grace', '100ms', '--linger', '0'],
    ),
    ['sh', '-c', 'ulimit -n; echo no >&2; yes | head -c 9000; exec sleep 60'],
  );
  expect(created).toMatchObject({
    kind: 'pty',
    name: 'all',
    cwd: `${fs.realpathSync(workspace)}/src`,
    env_names: ['ONE', 'TERM', 'TWO'],
    limits: { open_files: 64, file_bytes: 1_000_000, nice: 3, cpu_seconds: 60 },
    cols: 100,
    rows: 30,
    split: true,
  });
  await expect
    .poll(() => client().call('session.info', { session_id: created.session_id }))
    .toMatchObject({ streams: { stdout: { end: 9003, start: 9003 - 4096 }, stderr: { end: 3 } } });
  expect((await here(['terminal', 'read', 'all', '--stream', 'stderr'])).stdout).toBe('no\n');
});

test('a command without a session gets all requested options too', async () => {
  const exec = async (options: readonly string[], script: string) =>
    (await here(['terminal', 'exec', ...options], ['sh', '-c', script])).stdout;
  expect(await exec(['--cwd', '/', '--open-files', '32', '--nice', '4'], 'pwd; ulimit -n; nice')).toBe('/\n32\n4\n');
  const set = ['--inherit', 'none', '--include-env', 'LANG', '-e', 'A=b c'];
  expect(await exec(set, 'echo "$A|$HOME|$LANG"')).toBe(`b c||${process.env.LANG ?? ''}\n`);
  expect(await exec(['--exclude-env', 'HOME'], 'echo "[$HOME]"')).toBe('[]\n');
  const sandboxed = await exec(
    ['--sandbox', '--cwd', workspace, '--read-only-workspace'],
    'touch x 2>/dev/null; echo $?',
  );
  expect(sandboxed).toBe('1\n');
  expect(await jsonHere(['terminal', 'exec', '--target', 'ssh:nowhere'], ['ls'])).toMatchObject({
    error: { code: 'INVALID_PARAMS', message: 'there is no target ssh:nowhere' },
  });
});

test('a recorded session names its run', async () => {
  // Create it first: it must be removed after the daemon that writes into it has ended.
  const home = temporaryFolder();
  const own = daemonOf();
  const { here, jsonHere } = tachoIn(own.workspace, { TACHO_HOME: home });
  const { recording, session_id } = await jsonHere(['terminal', 'create', '--record'], ['true']);
  expect(recording).toMatchObject({ run_id: expect.stringMatching(/-[0-9a-f]{8}$/) });
  expect((await here(['terminal', 'wait', session_id])).code).toBe(0);
  const handle = recording.run_id.slice(-8);
  expect((await here(['terminal', 'ls'])).stdout).toContain(` ${handle} `);
  expect((await here(['terminal', 'info', session_id])).stdout).toContain(`recording  ${recording.run_id}, `);
});

test('a name selects the live session, or else the last one', async () => {
  const daemon = client();
  const create = async (...argv: string[]) =>
    (await daemon.call('session.create', { kind: 'exec', name: 'job', argv })).session_id;
  const find = (selector: string) => withSession(selector, { workspace }, async (_, { session_id }) => session_id);
  const ended = [await create('true'), await create('false')];
  for (const session_id of ended) {
    await expect.poll(() => daemon.call('session.info', { session_id })).toMatchObject({ closed: true });
  }
  expect(await find('job')).toBe(ended[1]);
  const third = await create('sleep', '60');
  expect(await find('job')).toBe(third);
  const fourth = await here(['terminal', 'create', '--name', 'job']);
  expect(fourth.stderr).toBe(`tacho: ${third} has that name too; call them by their ids\n`);
  const candidates = [third, fourth.stdout.trim()];
  await expect(find('job')).rejects.toMatchObject({
    code: 'SESSION_NOT_FOUND',
    message: `job can be ${candidates.join(' or ')}`,
    facts: { candidates },
  });
  expect(await find(third.slice(0, 10))).toBe(third);
  const killed = await here(['terminal', 'kill', ended[0]!, third]);
  expect(killed.stdout).toBe(`${ended[0]} had ended; it is forgotten\n${third} ended\n`);
  expect(await find('job')).toBe(candidates[1]);
});
