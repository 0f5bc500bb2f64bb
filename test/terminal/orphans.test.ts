import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { proofSize } from '../support/proof-size.ts';
import { agent, inParallel, isRunning, runTerminal, startTerminal, until, zombies } from './run-terminal.ts';

// Started before the first terminal, with which adopting orphans begins.
const earlier = spawn('/bin/sh', ['-c', 'read -r go; exit 7'], { stdio: ['pipe', 'ignore', 'ignore'] });
const earlierExit = once(earlier, 'exit');

describe('children that Node started', () => {
  test('before the first terminal are neither ended nor waited for', async () => {
    // Waiting for them would exceed the test's timeout.
    const end = await runTerminal(['true'], { exclusive: true, lingerMs: 600_000, killGraceMs: 1 });
    expect(end).toMatchObject({ exitCode: 0, leftBehind: 0 });
    expect(isRunning(earlier.pid!)).toBe(true);
    earlier.stdin!.end('go\n');
    expect(await earlierExit).toEqual([7, null]);
  });

  test('are not ended with an exclusive terminal', async () => {
    const child = spawn('/bin/sleep', ['300'], { stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    await runTerminal(['bash', agent('leave-behind.sh'), 'background', 'exit'], { exclusive: true, lingerMs: 20 });
    expect(isRunning(child.pid!)).toBe(true);
  });

  test('keep their exit codes while terminals leave orphans', async () => {
    const codes = Array.from({ length: proofSize({ small: 30, full: 100 }) }, (_, code) => code);
    const orphans = inParallel(codes, 4, async () => {
      await runTerminal(['/bin/sh', '-c', '(true & true & true &) ; exit 0'], { lingerMs: 60_000 });
    });
    const seen: unknown[] = [];
    const spawned = inParallel(codes, 4, async (code) => {
      const child = spawn('/bin/sh', ['-c', `(true &); exit ${code}`], { stdio: 'ignore' });
      seen[code] = await once(child, 'exit');
    });
    await Promise.all([orphans, spawned]);
    expect(seen).toEqual(codes.map((code) => [code, null]));
    await until(() => zombies().length === 0, 'no zombie is left');
  });

  test('that cannot be started still emit an error without a listener', async () => {
    const child = spawn('/no/such/program');
    expect(child.listenerCount('error')).toBe(0);
    expect(await once(child, 'error')).toMatchObject([{ code: 'ENOENT' }]);
  });
});

describe('orphans of a recorded program', () => {
  test('can still print: output of `exec > >(cat)` after the command’s end is kept', async () => {
    const lines = Array.from({ length: 2000 }, (_, line) => `line ${line}\n`).join('');
    const script =
      'exec > >(cat) 2> >(cat >&2); for ((i = 0; i < 2000; i++)); do echo "line $i"; done; echo end >&2; exit 6';
    let short = 0;
    const runs = Array.from({ length: proofSize({ small: 24, full: 1000 }) }, (_, run) => run);
    await inParallel(runs, 4, async () => {
      const end = await runTerminal(['bash', '-c', script], { lingerMs: 60_000 });
      if (end.a.toString() !== lines || end.b.toString() !== 'end\n' || end.exitCode !== 6 || end.leftBehind > 0)
        short++;
    });
    expect(short).toBe(0);
  });

  test('can still print after a chain of parents has ended one after the other', async () => {
    const script = '(sleep 0.05; (sleep 0.05; (sleep 0.05; echo last) &) &) & exit 0';
    const runs = Array.from({ length: proofSize({ small: 24, full: 1000 }) }, (_, run) => run);
    let short = 0;
    await inParallel(runs, 8, async () => {
      const end = await runTerminal(['bash', '-c', script], { lingerMs: 60_000 });
      if (end.a.toString() !== 'last\n') short++;
    });
    expect(short).toBe(0);
  });

  test('can still print, and are ended, also if their first thread ended before the others', async () => {
    // The system call ends one thread; exit(3) would end all.
    const exitThread = process.arch === 'x64' ? 60 : 93;
    const script = (seconds: number) => {
      const thread = `threads->create(sub { sleep ${seconds}; syswrite(STDOUT, "late") })->detach; syscall(${exitThread}, 0)`;
      return `(exec /usr/bin/perl -Mthreads -MTime::HiRes=sleep -e '${thread}') & echo "pid $!"; exit 0`;
    };
    const printed = await runTerminal(['bash', '-c', script(0.3)], { lingerMs: 60_000 });
    expect(printed).toMatchObject({ leftBehind: 0, drained: true });
    expect(printed.a.toString()).toMatch(/^pid \d+\nlate$/);
    const ended = await runTerminal(['bash', '-c', script(300)], { lingerMs: 300, killGraceMs: 500 });
    expect(ended).toMatchObject({ leftBehind: 1, drained: true });
    const [pid] = /\d+/.exec(ended.a.toString())!;
    await until(() => !fs.existsSync(`/proc/${pid}`), 'it is gone');
  });

  test('are not ended as slow while the reader is paused', async () => {
    const running = startTerminal(['bash', '-c', '(head -c 400000 /dev/zero; echo end >&2) & exit 0'], {
      lingerMs: 2000,
    });
    running.terminal.pause();
    await running.terminal.exited;
    await new Promise((resolve) => setTimeout(resolve, 3000)); // Longer than the linger.
    running.terminal.resume();
    expect(await running.terminal.ended).toMatchObject({ exitCode: 0, leftBehind: 0, drained: true });
    expect([running.output('a').length, running.text('b')]).toEqual([400_000, 'end\n']);
  });

  test('do not remain as zombies', async () => {
    const script = 'for i in $(seq 100); do (sleep 0.0$((i % 10)) &); done; exit 0';
    expect(await runTerminal(['bash', '-c', script], { lingerMs: 60_000 })).toMatchObject({ leftBehind: 0 });
    await until(() => zombies().length === 0, 'no zombie is left');
  });
});
