import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { attemptFileNames, type RaspEvent, type RuntimeParams } from '../../../src/protocol/index.ts';
import type { RuntimeClient } from '../../../src/runtime/index.ts';
import { proofSize } from '../../support/proof-size.ts';
import { startService, whenResting } from '../../support/service.ts';
import { smallDisk } from '../../support/small-disk.ts';
import { type Finished, finished, removeFolder, temporaryFolder, until } from '../../support/tacho.ts';
import { tachoHere } from '../../support/tacho-here.ts';
import { isRunning } from '../../terminal/run-terminal.ts';
import { type DaemonUnderTest, daemonOf, sharedDaemon, startTacho } from './daemon.ts';

const FILES = attemptFileNames(1);
const sharedHome = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-recorded-'));
afterAll(() => removeFolder(sharedHome));
const daemon = sharedDaemon({ TACHO_HOME: sharedHome });
/** For tests that do not disturb the daemon and the data folder. */
const shared = () => recordedIn(daemon, sharedHome);

describe('recorded sessions as attempt files', () => {
  test('a shell session: every byte, every command with its output, every change in the workspace', async () => {
    const { client, workspace, run, tacho } = shared();
    const session = await open(client, { kind: 'shell', env: { set: { DEPLOY_TOKEN: 'very-secret-value' } } });
    const exec = (command: string) => client.call('exec.run', { session_id: session.session_id, command });
    await exec('echo one; echo two >&2; echo "$DEPLOY_TOKEN"');
    await exec('cd /; printf no-line-end; false');
    await exec(`echo new >${path.join(workspace, 'made.txt')}`);
    const read = client.call('exec.run', { session_id: session.session_id, command: 'read line; echo "got $line"' });
    await client.call('session.write', { session_id: session.session_id, data: 'typed\n' });
    await read;
    const stdin = { data: 'piped' };
    await client.call('exec.run', { session_id: session.session_id, command: 'cat >/dev/null', stdin });
    const ended = await client.call('session.destroy', { session_id: session.session_id });
    expect(ended.recording).toEqual({ run_id: session.run_id, sealed: true });

    const { audit, record, events, bytes } = run(session.run_id);
    expect(bytes('stdout')).toBe('one\nvery-secret-value\nno-line-endgot typed\n');
    expect(bytes('stderr')).toBe('two\n');
    expect(bytes('stdin')).toBe('typed\npiped');
    expect(record()).toMatchObject({ engine: 'terminal', status: 'canceled', command: ['bash'], live: null });
    expect(commandsOf(events())).toEqual([
      { command: 'echo one; echo two >&2; echo "$DEPLOY_TOKEN"', exit_code: 0, stdout: [0, 22], stderr: [0, 4] },
      { command: 'cd /; printf no-line-end; false', exit_code: 1, stdout: [22, 33] },
      { command: `echo new >${path.join(workspace, 'made.txt')}`, exit_code: 0 },
      { command: 'read line; echo "got $line"', exit_code: 0, stdout: [33, 43] },
      { command: 'cat >/dev/null', exit_code: 0 },
    ]);
    expect(fs.readFileSync(path.join(audit, 'events.jsonl'), 'utf8')).not.toContain('very-secret-value');
    expect(JSON.parse(fs.readFileSync(path.join(audit, FILES.fsDiff), 'utf8'))).toMatchObject({
      created: [{ path: 'made.txt' }],
    });
    await expectVerified(tacho, session.run_id);
  });

  test('a terminal: keys, sizes and times; replay and reparse work', async () => {
    const { client, run, tacho } = shared();
    const session = await open(client, { kind: 'pty', argv: ['bash', '--norc', '--noprofile'], cols: 90, rows: 20 });
    await client.call('session.resize', { session_id: session.session_id, cols: 100, rows: 30 });
    await client.call('session.write', { session_id: session.session_id, data: 'stty size; exit 3\r' });
    await sealed(client, session.session_id);
    const { record, bytes, audit } = run(session.run_id);
    expect(record()).toMatchObject({ status: 'failed', last: { exit_code: 3, reason_code: 'EXIT_NONZERO' } });
    expect(bytes('stdin')).toBe('stty size; exit 3\r');
    expect(bytes('pty')).toContain('30 100');
    expect(fs.readFileSync(path.join(audit, FILES.timing), 'utf8')).toMatch(/^S \S+ SIGWINCH ROWS=30 COLS=100$/m);
    const played = await tacho('replay', session.run_id, '--speed', '100');
    expect(played.stdout).toContain('30 100');
    await expectVerified(tacho, session.run_id);
  });

  test('a terminal for each stream, and a command without a session', async () => {
    const { client, run, tacho } = shared();
    const split = await open(client, {
      kind: 'pty',
      split: true,
      argv: ['sh', '-c', 'test -t 2; echo $?; echo no >&2'],
    });
    await sealed(client, split.session_id);
    expect(run(split.run_id).bytes('stdout')).toBe('0\n');
    expect(run(split.run_id).bytes('stderr')).toBe('no\n');
    const argv = ['sh', '-c', 'echo alone; cat; exit 4'];
    const result = await client.call('exec.run', { argv, stdin: { data: 'in\n' }, record: true });
    expect(result.exit_code).toBe(4);
    const alone = result.run_id!;
    await until(() => run(alone).record().live === null);
    expect(run(alone).bytes('stdout')).toBe('alone\nin\n');
    expect(run(alone).bytes('stdin')).toBe('in\n');
    for (const id of [split.run_id, alone]) await expectVerified(tacho, id);
  });

  test('output faster than the disk is recorded completely, and readers get it too', {
    timeout: 300_000,
  }, async () => {
    const { client, run, tacho } = shared();
    const size = proofSize({ small: 8_000_000, full: 1_000_000_000 });
    const session = await open(client, { kind: 'shell' });
    const streamed = createHash('sha256');
    const command = `base64 -w 100 /dev/urandom | head -c ${size}`;
    await client.call(
      'exec.stream',
      { session_id: session.session_id, command, when_behind: 'wait', max_output_bytes: 0 },
      ({ data, encoding }) => void streamed.update(Buffer.from(data, encoding)),
    );
    await client.call('session.destroy', { session_id: session.session_id });
    const { audit } = run(session.run_id);
    const recorded = createHash('sha256');
    for await (const piece of fs.createReadStream(path.join(audit, FILES.stdout))) recorded.update(piece);
    expect(fs.statSync(path.join(audit, FILES.stdout)).size).toBe(size);
    expect(recorded.digest('hex')).toBe(streamed.digest('hex'));
    expect((await tacho('verify', session.run_id)).code).toBe(0);
  });

  test('recovery completes the run of a killed daemon with everything recorded so far', async () => {
    const { client, run, tacho, crash } = recordedWorkspace();
    const session = await open(client, { kind: 'shell' });
    const command = 'echo before; seq 1 1000 >&2; echo $$';
    const { stdout } = await client.call('exec.run', { session_id: session.session_id, command });
    const shell = Number(stdout.data.split('\n')[1]);
    client.call('exec.run', { session_id: session.session_id, command: 'sleep 1000' }).catch(() => {});
    await until(() => commandsOf(run(session.run_id).events()).length === 2);
    // The latest output is buffered briefly before it is written.
    await until(() => run(session.run_id).bytes('stdout') === stdout.data);
    await until(() => run(session.run_id).bytes('stderr').endsWith('1000\n'));
    await crash();
    const recovered = await tacho('recover');
    expect(recovered.code, recovered.stderr).toBe(0);
    const { record, bytes } = run(session.run_id);
    expect(record()).toMatchObject({ status: 'failed', live: null, last: { reason_code: 'SUPERVISOR_LOST' } });
    expect(bytes('stdout')).toBe(`before\n${shell}\n`);
    expect(bytes('stderr').split('\n')).toHaveLength(1001);
    expect(isRunning(shell)).toBe(false);
    await expectVerified(tacho, session.run_id);
  });

  test('a full disk ends the session instead of leaving it unrecorded, and the record says so', async () => {
    const { client, run, tacho } = recordedWorkspace({ home: smallDisk('96m') });
    const session = await open(client, { kind: 'shell' });
    const flood = { session_id: session.session_id, command: 'head -c 200000000 /dev/zero | tr "\\0" x' };
    expect(await client.call('exec.run', flood)).toMatchObject({ session_state: 'terminated' });
    const { end } = await sealed(client, session.session_id);
    expect(end).toMatchObject({ reason: 'failed' });
    expect(run(session.run_id).record()).toMatchObject({ status: 'failed', last: { reason_code: 'DISK_FULL' } });
    const verified = await tacho('verify', session.run_id);
    expect(verified.code, verified.stdout + verified.stderr).toBe(0);
    expect(await client.call('exec.run', { command: 'echo still here' })).toMatchObject({ exit_code: 0 });
  });

  test('open terminals take no slots from the runs of a server', async () => {
    const service = await startService({ env: { TACHO_SERVICE_SLOTS: '1' } });
    const { client } = recordedWorkspace({ home: service.home });
    for (let count = 0; count < 2; count++) await open(client, { kind: 'shell' });
    const { run_id } = await service.client.createRun({ command: ['true'] });
    expect(await whenResting(service.client, run_id)).toMatchObject({ status: 'succeeded' });
  });

  test('canceling the run ends the session', async () => {
    const { client, run, home } = shared();
    const session = await open(client, { kind: 'pty', argv: ['sleep', '1000'] });
    const cancel = startTacho(['cancel', session.run_id], { env: { TACHO_HOME: home } });
    expect((await finished(cancel)).code).toBe(0);
    const { end } = await sealed(client, session.session_id);
    expect(end).toMatchObject({ reason: 'destroyed' });
    expect(run(session.run_id).record()).toMatchObject({ status: 'canceled' });
  });

  test('a session that cannot be recorded is not started, and the error says why', async () => {
    const { client, run } = shared();
    const before = run(null).all();
    const missing = open(client, { kind: 'exec', argv: ['no-such-program-here'] });
    await expect(missing).rejects.toMatchObject({ code: 'COMMAND_UNAVAILABLE' });
    const [only] = run(null)
      .all()
      .filter((id) => !before.includes(id));
    expect(run(only!).record()).toMatchObject({ status: 'failed', live: null });
    const nowhere = recordedWorkspace({ home: '/proc/nowhere' });
    const refused = open(nowhere.client, { kind: 'shell' });
    await expect(refused).rejects.toMatchObject({ code: 'DATA_FOLDER_UNWRITABLE' });
    expect(await nowhere.client.call('session.list', {})).toEqual({ sessions: [] });
  });
});

type Tacho = (...words: string[]) => Promise<Finished>;

/** A workspace whose daemon keeps runs in a separate data folder. */
function recordedWorkspace({ home = temporaryFolder() } = {}) {
  return recordedIn(daemonOf(temporaryFolder(), { TACHO_HOME: home }), home);
}

/** Commands that read the record run in this process: only the daemon is under test. */
function recordedIn(daemon: DaemonUnderTest, home: string) {
  const env = { ...process.env, TACHO_HOME: home, NO_COLOR: '1' } as Record<string, string>;
  const tacho: Tacho = (...words) => tachoHere(words, { cwd: daemon.workspace, env, input: '' });
  const run = (id: string | null) => {
    const folder = path.join(home, 'runs', id ?? '');
    const audit = path.join(folder, '.audit');
    return {
      audit,
      all: () => fs.readdirSync(path.join(home, 'runs')),
      record: () => JSON.parse(fs.readFileSync(path.join(folder, '.run.json'), 'utf8')),
      bytes: (stream: 'stdin' | 'stdout' | 'stderr' | 'pty') =>
        fs.readFileSync(path.join(audit, FILES[stream]), 'utf8'),
      events: () =>
        fs
          .readFileSync(path.join(audit, 'events.jsonl'), 'utf8')
          .split('\n')
          // The last line may be incomplete.
          .slice(0, -1)
          .map((line) => JSON.parse(line) as RaspEvent),
    };
  };
  return { client: daemon.client(), workspace: daemon.workspace, crash: daemon.crash, run, tacho, home };
}

async function open(client: RuntimeClient, params: RuntimeParams<'session.create'>) {
  const { session_id, recording } = await client.call('session.create', { ...params, record: true });
  expect(recording).toMatchObject({ sealed: false });
  return { session_id, run_id: recording!.run_id };
}

async function sealed(client: RuntimeClient, session_id: string) {
  for (;;) {
    const info = await client.call('session.info', { session_id });
    if (info.recording!.sealed) return info;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The commands in the events, each with the byte ranges of its output. */
function commandsOf(events: readonly RaspEvent[]) {
  const ranges = ({ raw_ref }: RaspEvent) =>
    Object.fromEntries([raw_ref ?? []].flat().map(({ stream, byte_from, byte_to }) => [stream, [byte_from, byte_to]]));
  return events
    .filter(({ event }) => event.type === 'tool.call.started')
    .map(({ data }) => {
      const { call_id, arguments: given } = data as { call_id: string; arguments: { command: string } };
      const end = events.find(
        (event) =>
          /completed|failed/.test(event.event.type) && (event.data as { call_id?: string }).call_id === call_id,
      );
      const { exit_code } = (end?.data ?? {}) as { exit_code?: number };
      return { ...given, ...(end ? { exit_code, ...ranges(end) } : {}) };
    });
}

async function expectVerified(tacho: Tacho, run: string): Promise<void> {
  for (const word of ['verify', 'reparse']) {
    const { code, stdout, stderr } = await tacho(word, run);
    expect(code, `${word}: ${stdout}${stderr}`).toBe(0);
  }
}
