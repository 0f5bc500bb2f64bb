import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { proofSize } from '../../support/proof-size.ts';
import { inParallel, isRunning, until, zombies } from '../../terminal/run-terminal.ts';
import { brief, printed, readAll, type Shell, timeOutAfterOutput } from './runtime.ts';
import { shellsUnderTest } from './shells.ts';

/** How long a process that ignores SIGTERM survives; other processes do not wait for it. */
const GRACE_MS = 1000;
/** For processes that end on SIGTERM: they must not be killed, however slow the machine is. */
const LONG_GRACE_MS = 30_000;

const pidsIn = (text: string) => Array.from(text.matchAll(/pid (\d+)/g), (match) => Number(match[1]));

/** The first line, and the rest. */
function splitOnce(text: string): [string, string] {
  const end = text.indexOf('\n');
  return [text.slice(0, end), text.slice(end + 1)];
}

/** Commands in which a shell can be interrupted. */
const ENDLESS = [
  ['an endless loop of builtins', 'while :; do :; done'],
  [
    'a loop in a function in a loop',
    'inner() { while :; do :; done; }; outer() { for i in 1 2 3; do inner; done; }; outer',
  ],
  ['a loop of short commands', 'while :; do /bin/true; done'],
  ['a loop with its output elsewhere', '{ while :; do :; done; } >/dev/null 2>&1'],
  ['a list of long commands', 'sleep 300; sleep 300; sleep 300; sleep 300'],
  ['a pipeline', 'yes | cat | cat >/dev/null'],
  ['a command substitution', 'x=$(sleep 300); echo "$x"'],
  ['a subshell', '(while :; do sleep 1; done)'],
  ['a wait for the background', 'sleep 300 & wait'],
  ['a read without input', 'read line'],
  ['nested evals', `eval 'eval "while :; do :; done"'`],
  ['a trap that ignores SIGTERM', `trap '' TERM; sleep 300`],
  ['its own trap for SIGINT', `trap 'echo mine' INT; while :; do :; done`],
  ['a shell that stopped itself', 'kill -STOP $$; sleep 300'],
  ['set -e', 'set -e; while :; do :; done'],
  ['job control', '(set -m) 2>/dev/null && set -m; sleep 300'],
] as const;

describe('a timeout ends the whole process tree of a command and keeps its output; the shell keeps working', () => {
  const shells = shellsUnderTest();
  describe.each(shells)('%s', (_name, { openRuntime, open }) => {
    test('a command with a setsid child, a child that ignores SIGTERM, and more commands to run', async () => {
      const shell = await open(openRuntime(), { kill_grace_ms: 300 });
      await shell.run('cd /; export KEPT=1; keep() { echo "kept $KEPT $PWD"; }; sleep 300 & earlier=$!');
      const command = `setsid sleep 300 & echo "pid $!"
       sh -c 'trap "" TERM; echo "pid $$"; while :; do sleep 1; done' & echo "pid $!"
       echo said >&2
       sleep 300; echo unreached; sleep 300; echo unreached`;
      const result = await timeOutAfterOutput(
        (timeout_ms) => shell.run(command, { timeout_ms }),
        ({ stdout, stderr }) => pidsIn(stdout.data).length === 3 && stderr.data !== '',
      );
      expect(result).toMatchObject({ timed_out: true, canceled: false, exit_code: null, session_state: 'idle' });
      expect(result.stdout.data).not.toContain('unreached');
      expect(result.stderr.data).toMatch(/^said\n/);
      const pids = pidsIn(result.stdout.data);
      expect(pids.filter(isRunning)).toEqual([]);
      expect(brief(await shell.run('keep; kill -0 $earlier'))).toEqual(printed('kept 1 /\n'));
      await until(() => zombies().length === 0, 'no zombie is left');
    });

    test('every command in which a shell can be interrupted', async () => {
      const runtime = openRuntime();
      const idle: Shell[] = [];
      await inParallel(ENDLESS, 5, async ([what, command]) => {
        const shell = idle.pop() ?? (await open(runtime, { kill_grace_ms: GRACE_MS }));
        const said = async (text: string) => (await shell.run(text)).stdout.data;
        const [options, traps] = splitOnce(await said('echo $-; trap'));
        const result = await timeOutAfterOutput((timeout_ms) =>
          // The trap must be set before the timeout expires.
          shell.run(command.replace(/^(trap [^;]*;)?/, '$1 echo begun; ').concat('; echo unreached'), { timeout_ms }),
        );
        expect(result, what).toMatchObject({ timed_out: true, exit_code: null, session_state: 'idle' });
        expect(result.stdout.data, what).toBe('begun\n');
        expect(brief(await shell.run('echo works')), what).toEqual(printed('works\n'));
        const after = splitOnce(await said('set +e; set +m 2>/dev/null; echo $-; trap; trap - INT TERM'));
        expect(after[0], what).toBe(options);
        const left = after[1].split('\n').filter((line) => !traps.includes(line));
        const own = command.match(/trap .* (INT|TERM)/)?.slice(0, 1) ?? [];
        expect(
          left.map((line) => line.replace('-- ', '').replace('SIG', '')),
          what,
        ).toEqual(own);
        idle.push(shell);
      });
    });

    test('a shell that replaced itself with exec ends with its session', async () => {
      const runtime = openRuntime();
      // The other program prints: output means that the shell has been replaced.
      const result = await timeOutAfterOutput(async (timeout_ms) => {
        const shell = await open(runtime, { kill_grace_ms: LONG_GRACE_MS });
        return await shell.run(`exec sh -c 'echo begun; exec sleep 300'`, { timeout_ms });
      });
      expect(result).toMatchObject({ timed_out: true, signal: 'SIGTERM', session_state: 'terminated' });
      expect(result.stdout.data).toBe('begun\n');
    });

    test('a canceled command ends the same way, and the result says so', async () => {
      const runtime = openRuntime();
      const shell = await open(runtime, { kill_grace_ms: GRACE_MS });
      const running = shell.run('echo begun; while :; do :; done', { exec_id: 'mine' });
      await readAll(runtime, shell.id, { to: 6 });
      await expect(shell.run('echo too soon')).rejects.toMatchObject({
        code: 'SESSION_BUSY',
        facts: { exec_id: 'mine' },
      });
      expect(await runtime.call('exec.cancel', { exec_id: 'mine' })).toEqual({ canceled: true });
      expect(await running).toMatchObject({ canceled: true, timed_out: false, session_state: 'idle' });
      expect(await runtime.call('exec.cancel', { exec_id: 'mine' })).toEqual({ canceled: false });
      expect(brief(await shell.run('echo works'))).toEqual(printed('works\n'));
    });

    test('timeouts that race with the end of a command never affect the next one', async () => {
      const shell = await open(openRuntime(), { kill_grace_ms: GRACE_MS });
      let timedOut = 0;
      const rounds = proofSize({ small: 7, full: 40 });
      // On a slow machine the command often ends before its timeout is checked.
      for (let round = 0; round < rounds || (timedOut === 0 && round < 20 * rounds); round++) {
        const result = await shell.run(`sleep 0.0${10 + (round % 5)}; echo end`, { timeout_ms: 10 + (round % 7) });
        if (result.timed_out) timedOut++;
        expect(brief(await shell.run(`echo after ${round}`))).toEqual(printed(`after ${round}\n`));
      }
      expect(timedOut).toBeGreaterThan(0);
    });
  });

  test('a program that replaced the shell just before its timeout', async () => {
    const [, { openRuntime, open }] = shells.find(([name]) => name === 'dash as sh')!;
    const folders: string[] = [];
    afterAll(() => folders.forEach((folder) => void fs.rmSync(folder, { recursive: true, force: true })));
    const runtime = openRuntime();
    const result = await timeOutAfterOutput(async (timeout_ms) => {
      const limit = timeout_ms * 20;
      const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-exec-'));
      folders.push(folder);
      const shell = await open(runtime, { kill_grace_ms: LONG_GRACE_MS });
      const started = Date.now();
      const running = shell.run(
        `cd ${folder}; : > begun; until [ -e go ]; do sleep 0.01; done; exec sh -c 'echo begun; exec sleep 300'`,
        { timeout_ms: limit },
      );
      await until(() => fs.existsSync(path.join(folder, 'begun')), 'the shell has begun');
      // Too slow; a longer timeout is next.
      if (Date.now() > started + limit / 2) return await running;
      fs.writeFileSync(path.join(folder, 'go'), '');
      // The runtime is in this process: when it gets to work again, the timeout comes first.
      const { pid } = await runtime.call('session.info', { session_id: shell.id });
      const isReplaced = () => fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('sleep');
      while (Date.now() < started + limit + 50 || !isReplaced());
      return await running;
    });
    expect(result).toMatchObject({ timed_out: true, signal: 'SIGTERM', session_state: 'terminated' });
  });

  test('a process that the shell starts after it was interrupted is ended too, and the shell returns', async () => {
    const [, { openRuntime, open }] = shells.find(([name]) => name === 'bash as sh')!;
    const shell = await open(openRuntime(), { kill_grace_ms: GRACE_MS });
    // As a shell that was about to start a process when the interrupt came; here it is the second one, 200 ms later.
    await shell.run(
      `own=$(trap -p 61); late() { times=$((times + 1)); [ $times = 2 ] && { eval "$own"; sleep 300; }; }`,
    );
    const result = await timeOutAfterOutput((timeout_ms) =>
      shell.run('times=0; trap late 61; echo begun; while :; do :; done', { timeout_ms }),
    );
    expect(result).toMatchObject({ timed_out: true, exit_code: null, session_state: 'idle' });
    expect(brief(await shell.run('echo $times'))).toEqual(printed('2\n'));
  });

  test.each(['set +e', 'set -e'])(
    'bash keeps its options and traps, whichever of its processes is killed: %s',
    async (set) => {
      const [, { openRuntime, open }] = shells.find(([name]) => name === 'bash as sh')!;
      const runtime = openRuntime();
      const shell = await open(runtime, { kill_grace_ms: GRACE_MS });
      // In the subshell in which the interrupt reads the state of the shell: as if the timeout had ended it too.
      const killing = 'if [[ $BASHPID != $$ && ! -e killed ]]; then : >killed; kill -KILL $BASHPID; fi';
      const state = async () => (await shell.run('echo $-; trap -p INT')).stdout.data;
      await shell.run(`${set}; trap 'echo mine' INT`);
      const before = await state();
      await shell.run(`builtin() { ${killing}; command builtin "$@"; }`);
      const result = await timeOutAfterOutput((timeout_ms) =>
        shell.run('echo begun; while :; do :; done', { timeout_ms }),
      );
      expect(result).toMatchObject({ timed_out: true, session_state: 'idle' });
      expect(fs.existsSync(path.join(runtime.workspace, 'killed'))).toBe(true);
      await shell.run('unset -f builtin');
      expect(await state()).toBe(before);
    },
  );

  test.each(shells.slice(0, 2))('a program without a shell: %s', async (_name, { openRuntime }) => {
    const runtime = openRuntime();
    const script = 'echo begun; echo said >&2; setsid sleep 300 & echo "pid $!"; sleep 300';
    const argv = ['sh', '-c', script];
    const result = await timeOutAfterOutput(
      (timeout_ms) => runtime.call('exec.run', { argv, timeout_ms, kill_grace_ms: LONG_GRACE_MS }),
      ({ stdout }) => pidsIn(stdout.data).length > 0,
    );
    expect(result).toMatchObject({
      timed_out: true,
      exit_code: null,
      signal: 'SIGTERM',
      session_state: 'terminated',
    });
    expect(result.stdout.data).toMatch(/^begun\npid \d+\n$/);
    expect(result.stderr.data).toBe('said\n');
    expect(pidsIn(result.stdout.data).filter(isRunning)).toEqual([]);
  });

  test('a shell that cannot be interrupted is ended, with reason "stuck"', async () => {
    const own = shells.filter(([name]) => ['bash', 'zsh', 'dash as sh'].includes(name));
    await inParallel(own, own.length, async ([name, { dialect, openRuntime, open }]) => {
      const runtime = openRuntime();
      const command = `trap '' ${dialect === 'zsh' ? 'PWR' : 61}; echo begun; while :; do :; done`;
      const result = await timeOutAfterOutput(async (timeout_ms) => {
        const shell = await open(runtime, { kill_grace_ms: LONG_GRACE_MS });
        return await shell.run(command, { timeout_ms });
      });
      expect(result, name).toMatchObject({ timed_out: true, exit_code: null, session_state: 'terminated' });
      const { end } = await runtime.call('session.info', { session_id: result.session_id });
      expect(end, name).toEqual({ exit_code: null, signal: 'SIGTERM', reason: 'stuck' });
    });
  });
});
