import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { enterBubblewrap, probeBubblewrap } from '../../../src/sandbox/index.ts';
import { probeLimits } from '../../../src/terminal/index.ts';
import { findGroupPlace } from '../../../src/terminal/limits/group-places.ts';
import { groupsOfTests } from '../../terminal/limits/groups-left.ts';
import { isRunning, openDescriptors, temporaryFolder, until, zombies } from '../../terminal/run-terminal.ts';
import { brief, openShell, printed, readAll, runtimeInProcess, timeOutAfterOutput } from './runtime.ts';

const mechanisms = await probeLimits();
const sandboxWorks = 'program' in (await probeBubblewrap('off'));
/** Buffers the last line of its input, which never ends. */
const ENDLESS_ALLOCATION = ['tail', '/dev/zero'];
/** For programs that end on SIGTERM: they must not be killed, however slow the machine is. */
const LONG_GRACE_MS = 60_000;

/** On a machine without the limit, the request is refused with its name and a reason, and nothing is started. */
async function expectLimitRefused(limits: object, name: string): Promise<void> {
  const refusal = { code: 'LIMIT_UNAVAILABLE', facts: { limits: [name], reasons: { [name]: expect.any(String) } } };
  const runtime = runtimeInProcess();
  await expect(runtime.call('exec.run', { argv: ['true'], limits })).rejects.toMatchObject(refusal);
  expect((await runtime.call('session.list', {})).sessions).toEqual([]);
}

/** How often the kernel throttled the only limited session of this process, by its group's counter. */
function throttledCount(): number {
  const [name] = groupsOfTests();
  const place = findGroupPlace('cpu');
  if (name === undefined || !place.works) return 0;
  const counters = fs.readFileSync(path.join(place.folder, name, 'cpu.stat'), 'utf8');
  return Number(/^nr_throttled (\d+)$/m.exec(counters)?.[1] ?? 0);
}

describe('a session stays within its memory and process limits, or its start says why they cannot be enforced', () => {
  test('a program that exceeds its memory limit is ended, and the result names the limit', async () => {
    const limits = { memory_bytes: 150_000_000 };
    if (!mechanisms.memory_limit!.works) return await expectLimitRefused(limits, 'memory_bytes');
    const runtime = runtimeInProcess();
    const result = await runtime.call('exec.run', { argv: ENDLESS_ALLOCATION, limits });
    expect(result).toMatchObject({ signal: 'SIGKILL', timed_out: false, limit_exceeded: 'memory' });
    const modest = await runtime.call('exec.run', { argv: ['sh', '-c', 'echo $((6 * 7))'], limits });
    expect(modest).toMatchObject({ exit_code: 0, limit_exceeded: null, stdout: { data: '42\n' } });
    await until(() => groupsOfTests().length === 0, 'no group is left');
  });

  test('a command that exceeds the memory limit is ended, and its shell keeps working', async () => {
    if (!mechanisms.memory_limit!.works) return await expectLimitRefused({ memory_bytes: 150_000_000 }, 'memory_bytes');
    const shell = await openShell(runtimeInProcess(), { limits: { memory_bytes: 150_000_000 } });
    await shell.run('kept=1');
    const result = await shell.run(
      `head -c 400000000 /dev/zero | tail -c 400000000 >/dev/null; echo "\${PIPESTATUS[1]}"`,
    );
    expect(result).toMatchObject({ limit_exceeded: 'memory', session_state: 'idle', stdout: { data: '137\n' } });
    expect(await shell.run('echo "still $kept"')).toMatchObject({
      limit_exceeded: null,
      stdout: { data: 'still 1\n' },
    });
  });

  test('a shell that exceeds the memory limit itself ends, and later calls get the reason', async () => {
    if (!mechanisms.memory_limit!.works) return await expectLimitRefused({ memory_bytes: 30_000_000 }, 'memory_bytes');
    const shell = await openShell(runtimeInProcess(), { limits: { memory_bytes: 30_000_000 } });
    const result = await shell.run(`x=$(head -c 100000000 /dev/zero | tr '\\0' x)`);
    expect(result).toMatchObject({ limit_exceeded: 'memory', signal: 'SIGKILL', session_state: 'terminated' });
    expect((await shell.info()).end).toMatchObject({ reason: 'limit' });
    await expect(shell.run('echo more')).rejects.toMatchObject({ code: 'SESSION_LIMIT_EXCEEDED' });
    const tooSmall = openShell(shell.runtime, { limits: { memory_bytes: 1 } });
    await expect(tooSmall).rejects.toMatchObject({ code: 'SESSION_LIMIT_EXCEEDED' });
    await until(() => groupsOfTests().length === 0, 'no group is left');
  });

  test('the process limit is enforced, and the result names it', async () => {
    const limits = { processes: 12 };
    if (!mechanisms.processes_limit!.works) return await expectLimitRefused(limits, 'processes');
    const runtime = runtimeInProcess();
    const bomb = ['perl', '-e', 'for (1 .. 100) { $n++ if defined(my $p = fork) or next; $p or sleep 300 } print $n'];
    const result = await runtime.call('exec.run', { argv: bomb, limits, kill_grace_ms: 200 });
    expect(result).toMatchObject({ exit_code: 0, limit_exceeded: 'processes', stdout: { data: '11' } });
    const shell = await openShell(runtime, { limits });
    expect(brief(await shell.run('echo a | cat | cat'))).toEqual(printed('a\n'));
    await until(() => groupsOfTests().length === 1, 'the group of the first is gone');
  });

  test('a fork bomb is contained, and ended with its session', async () => {
    const limits = { processes: 40, memory_bytes: 100_000_000 };
    if (!mechanisms.processes_limit!.works || !mechanisms.memory_limit!.works) return;
    const runtime = runtimeInProcess();
    const argv = ['bash', '-c', 'bomb() { bomb | bomb & }; bomb 2>/dev/null; echo begun; sleep 300'];
    const { session_id } = await runtime.call('session.create', { kind: 'exec', argv, limits, kill_grace_ms: 100 });
    await readAll(runtime, session_id, { to: 6 });
    await runtime.call('session.destroy', { session_id });
    expect(groupsOfTests()).toEqual([]);
  });

  test('a process that left its parents and environment is still ended with the session', async () => {
    if (!mechanisms.processes_limit!.works) return await expectLimitRefused({ processes: 20 }, 'processes');
    const runtime = runtimeInProcess();
    const shell = await openShell(runtime, { limits: { processes: 20 }, kill_grace_ms: 100 });
    await shell.run(`setsid env -i sh -c 'trap "" HUP TERM; sleep 300 & echo $! >escaped'`);
    const file = `${runtime.workspace}/escaped`;
    expect(isRunning(Number(fs.readFileSync(file, 'utf8')))).toBe(true);
    await runtime.call('session.destroy', { session_id: shell.id });
    expect(isRunning(Number(fs.readFileSync(file, 'utf8')))).toBe(false);
    expect(groupsOfTests()).toEqual([]);
  });

  test('limits per process: CPU time, file size, open files, nice', async () => {
    const runtime = runtimeInProcess();
    const run = (script: string, limits: object) => runtime.call('exec.run', { argv: ['bash', '-c', script], limits });
    expect(await run('while :; do :; done', { cpu_seconds: 1 })).toMatchObject({
      signal: 'SIGXCPU',
      limit_exceeded: 'cpu',
    });
    expect(await run('exec head -c 5000 /dev/zero >big', { file_bytes: 1000 })).toMatchObject({
      signal: 'SIGXFSZ',
      limit_exceeded: 'file_size',
    });
    expect(fs.statSync(`${runtime.workspace}/big`).size).toBe(1000);
    expect(await run('ulimit -n; nice', { open_files: 77, nice: 7 })).toMatchObject({
      limit_exceeded: null,
      stdout: { data: '77\n7\n' },
    });
    const shell = await openShell(runtime, { limits: { cpu_seconds: 1 } });
    expect(await shell.run(`sh -c 'while :; do :; done'`)).toMatchObject({ exit_code: 152, limit_exceeded: 'cpu' });
    expect(await shell.run('echo on')).toMatchObject({ exit_code: 0, limit_exceeded: null });
  });

  test('the kernel throttles a session that exceeds its CPU share', async () => {
    const limits = { cpu_percent: 10 };
    if (!mechanisms.cpu_limit!.works) return await expectLimitRefused(limits, 'cpu_percent');
    const runtime = runtimeInProcess();
    const argv = ['bash', '-c', 'while :; do :; done'];
    const { session_id } = await runtime.call('session.create', { kind: 'exec', argv, limits, kill_grace_ms: 100 });
    await until(() => throttledCount() > 2, 'it was held back');
    expect(await runtime.call('session.destroy', { session_id })).toMatchObject({ limits });
    expect(groupsOfTests()).toEqual([]);
  });

  test('limits also apply to a program on a terminal', async () => {
    const limits = { memory_bytes: 150_000_000 };
    if (!mechanisms.memory_limit!.works) return await expectLimitRefused(limits, 'memory_bytes');
    const runtime = runtimeInProcess();
    const { session_id } = await runtime.call('session.create', { kind: 'pty', argv: ENDLESS_ALLOCATION, limits });
    await readAll(runtime, session_id);
    await until(() => groupsOfTests().length === 0, 'its group is gone');
    const { end } = await runtime.call('session.info', { session_id });
    expect(end).toMatchObject({ signal: 'SIGKILL', reason: 'limit' });
  });

  test('a limit above that of this process is refused, and nothing is started', async () => {
    await expectLimitRefused({ open_files: 2_147_483_647 }, 'open_files');
    const before = openDescriptors().length;
    for (let count = 0; count < 5; count++) await expectLimitRefused({ open_files: 2_147_483_647 }, 'open_files');
    const pty = { kind: 'pty' as const, argv: ['true'], limits: { open_files: 2_147_483_647 } };
    await expect(runtimeInProcess().call('session.create', pty)).rejects.toMatchObject({ code: 'LIMIT_UNAVAILABLE' });
    await until(() => openDescriptors().length <= before && zombies().length === 0, 'nothing is left of it');
  });
});

describe('a sandbox contains a session, or the start says why it cannot', () => {
  const options = { enterSandbox: enterBubblewrap };

  test('a runtime without a sandbox refuses sandboxed sessions', async () => {
    await expect(runtimeInProcess().call('session.create', { sandbox: {} })).rejects.toMatchObject({
      code: 'LIMIT_UNAVAILABLE',
      facts: { limits: ['sandbox'] },
    });
  });

  test('a sandboxed shell keeps its state, its timeouts and its cwd, and sees only what is allowed', async () => {
    const runtime = runtimeInProcess(options);
    if (!sandboxWorks) {
      const refused = { code: 'LIMIT_UNAVAILABLE', facts: { limits: ['sandbox'] } };
      return await expect(runtime.call('session.create', { sandbox: {} })).rejects.toMatchObject(refused);
    }
    const shell = await openShell(runtime, { sandbox: {}, kill_grace_ms: 200 });
    expect(
      brief(await shell.run(`mkdir in; cd in; export A=1; pwd; [ -e "${temporaryFolder()}" ] || echo hidden`)),
    ).toEqual(printed(`${runtime.workspace}/in\nhidden\n`));
    expect(await shell.info()).toMatchObject({ cwd: `${runtime.workspace}/in`, sandbox: { network: 'off' } });
    expect((await shell.run('touch /usr/x || cat /etc/shadow || ls /var')).stderr.data).toMatch(
      /Read-only file system\n.*No such file.*\n.*No such file/,
    );
    expect(brief(await shell.run('cat', { stdin: { data: 'sent' } }))).toEqual(printed('sent'));
    const begun = await shell.run('sleep 300 & echo "$A"');
    expect(begun).toMatchObject({ exit_code: 0, closed: false, stdout: { data: '1\n' } });
    for (const command of ['sleep 300', 'while :; do :; done', '(trap "" TERM; setsid sleep 300)']) {
      const result = await timeOutAfterOutput((timeout_ms) =>
        shell.run(`echo begun; ${command}; echo unreached`, { timeout_ms }),
      );
      expect(result).toMatchObject({ timed_out: true, session_state: 'idle', stdout: { data: 'begun\n' } });
    }
    expect(brief(await shell.run('kill -0 %1; echo "$A $PWD"'))).toEqual(printed(`1 ${runtime.workspace}/in\n`));
    const pid = (await shell.info()).pid!;
    await runtime.call('session.destroy', { session_id: shell.id });
    expect(isRunning(pid)).toBe(false);
  });

  test('a sandboxed program on a terminal has the terminal and its own cwd', async () => {
    if (!sandboxWorks) return;
    const runtime = runtimeInProcess(options);
    const argv = ['bash', '-c', 'cd /usr; stty size; read line; exit 3'];
    const { session_id } = await runtime.call('session.create', { kind: 'pty', argv, sandbox: {} });
    expect((await readAll(runtime, session_id, { to: 7 })).toString()).toBe('24 80\r\n');
    expect((await runtime.call('session.info', { session_id })).cwd).toBe('/usr');
    await runtime.call('session.write', { session_id, data: '\n' });
    await readAll(runtime, session_id);
    expect((await runtime.call('session.info', { session_id })).end).toMatchObject({ exit_code: 3 });
  });

  test('a sandboxed program may clean up on SIGTERM, and is killed if it does not end', async () => {
    if (!sandboxWorks) return;
    const runtime = runtimeInProcess(options);
    const run = (script: string, kill_grace_ms: number) =>
      timeOutAfterOutput((timeout_ms) =>
        runtime.call('exec.run', { argv: ['bash', '-c', script], sandbox: {}, timeout_ms, kill_grace_ms }),
      );
    const tidy = await run('trap "echo tidy; exit 3" TERM; echo begun; while :; do sleep 0.05; done', LONG_GRACE_MS);
    expect(tidy).toMatchObject({ timed_out: true, exit_code: 3, stdout: { data: 'begun\ntidy\n' } });
    const stubborn = await run('trap "" TERM; echo begun; while :; do sleep 0.05; done', 300);
    expect(stubborn).toMatchObject({ timed_out: true, exit_code: 137, stdout: { data: 'begun\n' } });
  });

  test('a program whose sandbox is still being set up gets SIGTERM once it has started', async () => {
    if (!sandboxWorks) return;
    const runtime = runtimeInProcess({
      async enterSandbox(request, place) {
        const entered = await enterBubblewrap(request, place);
        if ('why' in entered) return entered;
        const argv = ['/bin/sh', '-c', 'sleep 0.3; exec "$@"', 'slow', ...entered.entry!.argv];
        return { ...entered, entry: { ...entered.entry!, argv } };
      },
    });
    const argv = ['bash', '-c', 'trap "exit 3" TERM; echo begun; while :; do sleep 0.05; done'];
    const result = await runtime.call('exec.run', { argv, sandbox: {}, timeout_ms: 50, kill_grace_ms: LONG_GRACE_MS });
    expect(result.timed_out).toBe(true);
    // SIGTERM may arrive before the trap is set, but it does arrive before SIGKILL.
    expect(result.exit_code).toBeOneOf([3, 128 + 15]);
  });

  test('a sandboxed program cannot leave its control group, even where it sees the groups', async () => {
    if (!sandboxWorks || !mechanisms.processes_limit!.works) return;
    const runtime = runtimeInProcess(options);
    const script =
      'find /sys/fs/cgroup -name cgroup.procs | while read file; do echo 0 >$file && echo "left by $file"; done';
    const result = await runtime.call('exec.run', {
      argv: ['sh', '-c', `(${script}) 2>/dev/null; find /sys/fs/cgroup -name cgroup.procs | grep -q . && echo tried`],
      sandbox: { read: ['/sys'] },
      limits: { processes: 50 },
    });
    expect(result.stdout.data).toBe('tried\n');
  });

  test('limits apply in a sandbox too', async () => {
    if (!sandboxWorks || !mechanisms.memory_limit!.works) return;
    const runtime = runtimeInProcess(options);
    const result = await runtime.call('exec.run', {
      argv: ENDLESS_ALLOCATION,
      sandbox: {},
      limits: { memory_bytes: 150_000_000, open_files: 77 },
    });
    expect(result).toMatchObject({ exit_code: 137, limit_exceeded: 'memory' });
    await until(() => groupsOfTests().length === 0, 'no group is left');
  });
});
