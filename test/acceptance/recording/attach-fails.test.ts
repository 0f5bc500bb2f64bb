import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { faultyCommand } from '../../support/faulty.ts';
import { finished, sandbox, tachoCommand } from '../../support/tacho.ts';
import { atTerminal, type RunningTerminal } from '../../terminal/run-terminal.ts';
import { daemonOf } from '../runtime/daemon.ts';

/** For each input line, enables the full-screen modes and prints the line. */
const FULL_SCREEN = String.raw`while read -r line; do printf '\033[?1049h\033[?1000h\033[?25l\033[H<%s>\n.' "$line"; done`;
const RESTORED_MODES = '\x1b[?1000l\x1b[?25h\x1b[?1049l';

/** The only child of the shell: tacho. */
function childOf(pid: number): number {
  return Number(fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim());
}

async function type({ terminal, printed }: RunningTerminal, line: string): Promise<void> {
  await terminal.write(Buffer.from(`${line}\r`));
  // The two terminals of a run add no carriage return; tacho does.
  await printed(`<${line}>\r\n.`);
}

/** Makes tacho fail, and checks that it restores the terminal. */
async function expectTerminalRestored(running: RunningTerminal): Promise<void> {
  process.kill(childOf(running.terminal.pid), 'SIGUSR2');
  await running.terminal.ended;
  const [, before, code, after] = /^(\S+)\r\n[\s\S]*code (\d+)\r\n(\S+)\r\n$/.exec(running.text()) ?? [];
  expect([code, after]).toEqual(['1', before]);
  expect(running.text()).toContain(RESTORED_MODES);
  expect(running.text()).toContain('provoked by the test');
}

/** Stops tacho as Ctrl-Z does, lets a shell set its own modes, and continues. */
async function expectModesSetAgain({ terminal }: RunningTerminal): Promise<void> {
  const pid = childOf(terminal.pid);
  const tty = fs.readlinkSync(`/proc/${pid}/fd/0`);
  const modes = () => execFileSync('stty', ['-F', tty, '-a'], { encoding: 'utf8' });
  const state = () => /\) (\w)/.exec(fs.readFileSync(`/proc/${pid}/stat`, 'latin1'))![1];
  expect(modes()).toMatch(/-icanon/);
  process.kill(pid, 'SIGSTOP');
  await expect.poll(state, { interval: 5 }).toBe('T');
  execFileSync('stty', ['-F', tty, 'sane']);
  expect(modes()).not.toMatch(/-icanon/);
  process.kill(pid, 'SIGCONT');
  await expect.poll(modes, { interval: 5 }).toMatch(/-opost[\s\S]*-icanon/);
}

test('tacho attach sets raw mode again after a suspension, and restores the terminal when it fails', async () => {
  const { home } = sandbox();
  const run = spawn(process.execPath, [tachoCommand, 'run', '--scratch', '--', 'sh', '-c', FULL_SCREEN], {
    env: { ...process.env, TACHO_HOME: home },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = finished(run);
  const sockets = path.join(home, 'sock');
  const listens = () => fs.existsSync(sockets) && fs.readdirSync(sockets).some((name) => name.endsWith('.sock'));
  await expect.poll(listens).toBe(true);
  const running = atTerminal([...faultyCommand(), 'attach', 'last'], home);
  await running.printed('attached to ');
  await type(running, 'one');
  await expectModesSetAgain(running);
  await type(running, 'two');
  await expectTerminalRestored(running);
  // The run does not depend on its viewers.
  run.stdin!.end();
  expect((await ended).code).toBe(0);
});

test('tacho terminal attach sets raw mode again after a suspension, and restores the terminal when it fails', async () => {
  const daemon = daemonOf();
  const argv = ['sh', '-c', FULL_SCREEN];
  const { session_id } = await daemon.client().call('session.create', { kind: 'pty', argv });
  const words = ['terminal', 'attach', session_id, '--workspace', daemon.workspace];
  const running = atTerminal([...faultyCommand(), ...words], daemon.workspace);
  await running.printed('Ctrl-] leaves it');
  // A key that the session's terminal consumes: output after the first draw is shown as printed.
  await running.terminal.write(Buffer.from('\x11'));
  await running.printed('\x1b[2J');
  await type(running, 'one');
  await expectModesSetAgain(running);
  await type(running, 'two');
  await expectTerminalRestored(running);
  await expect
    .poll(() => daemon.client().call('session.info', { session_id }))
    .toMatchObject({ state: 'running', attached: 0 });
});
