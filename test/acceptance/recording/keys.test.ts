import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readProcessStat } from '../../../src/files/index.ts';
import { type KeyProgram, keyPrograms, typeThrough } from '../../support/key-programs.ts';
import { proofSize } from '../../support/proof-size.ts';
import { startService, whenResting } from '../../support/service.ts';
import { finished, processesWith, removeFolder, tachoCommand, temporaryFolder, until } from '../../support/tacho.ts';
import { atTerminal, inParallel, type RunningTerminal } from '../../terminal/run-terminal.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-keys-'));
const programs = keyPrograms(folder);
afterAll(() => removeFolder(folder));

const tachoAtTerminal = (words: readonly string[], home: string) =>
  atTerminal([process.execPath, tachoCommand, ...words], home);

async function untilEnded(
  running: RunningTerminal,
): Promise<{ code: number; modes: { before: string; after: string } }> {
  await running.terminal.ended;
  const [, before, code, after] = /^(\S+)\r\n[\s\S]*code (\d+)\r\n(\S+)\r\n$/.exec(running.text()) ?? [];
  return { code: Number(code), modes: { before: before!, after: after! } };
}

function codeOf({ exitCode, signal }: KeyProgram['ends']): number {
  return exitCode ?? 128 + os.constants.signals[signal!];
}

describe('keys typed at tacho run', () => {
  test.each(programs)('reach $name', async (program) => {
    const running = tachoAtTerminal(
      ['run', '--isolate', '--scratch', '--', ...program.argv],
      path.join(folder, 'home'),
    );
    const output = () => running.text();
    await typeThrough(program, { output, type: (keys) => running.terminal.write(Buffer.from(keys)) });
    const { code, modes } = await untilEnded(running);
    expect([code, modes.after]).toEqual([codeOf(program.ends), modes.before]);
    if (program.prints) expect(output()).toMatch(program.prints);
    if (program.hides) expect(output()).not.toContain(program.hides);
  });
});

test('keys sent through the API reach every program', async () => {
  const service = await startService();
  const { client } = service;
  const use = async (program: KeyProgram) => {
    const { run_id } = await client.createRun({ command: [...program.argv], cols: 80, rows: 24 });
    await expect.poll(async () => (await client.getRun(run_id)).status).toBe('running');
    const output = async () => Buffer.from(await client.raw(run_id, 'pty', 1)).toString();
    // Before the program starts, there is no output and no input to type into.
    await expect.poll(() => output().catch(() => '')).not.toBe('');
    await typeThrough(program, { output, type: (keys) => client.input(run_id, keys) });
    await whenResting(client, run_id);
    const { exit_code, signal } = await until(() => service.record(run_id).last);
    expect([program.name, exit_code, signal]).toEqual([
      program.name,
      program.ends.exitCode,
      program.ends.signal ?? null,
    ]);
    if (program.prints) expect(await output()).toMatch(program.prints);
    if (program.hides) expect(await output()).not.toContain(program.hides);
  };
  // Programs handle an interrupt the same however the key arrives; `tacho run` above covers it.
  const all = programs.filter(({ name }) => proofSize({ small: !name.endsWith(', interrupted'), full: true }));
  await inParallel(all, 2, use);
});

describe('an interactive shell', () => {
  const shell = ['bash', '--norc', '-i'];
  /** Whether such a process is in the foreground: before that, a signal key reaches only the shell. */
  const hasTerminal = (commandLine: string) =>
    processesWith(commandLine).some((pid) => {
      const stat = readProcessStat(pid);
      return stat?.state === 'S' && stat.processGroup === stat.foregroundGroup;
    });

  test('is recorded on one terminal, reports it, and has job control', async () => {
    const home = temporaryFolder();
    const running = tachoAtTerminal(['run', '--isolate', '--scratch', '--', ...shell], home);
    await running.printed('stdout and stderr are recorded as one stream: an interactive shell needs one terminal');
    const type = (keys: string) => running.terminal.write(Buffer.from(keys));
    await running.printed(/bash-[\d.]+[#$] /);
    // The name identifies this cat among others; the file is not opened before the input ends.
    const name = path.basename(home);
    await type(`cat - ${name}\r`);
    await until(() => hasTerminal(`cat\0-\0${name}`));
    await type('\x1a');
    await running.printed(/Stopped\s+cat/);
    await type('fg\r');
    await until(() => hasTerminal(`cat\0-\0${name}`));
    await type('\x03');
    await running.printed(/\^C[\s\S]*bash-[\d.]+[#$] $/);
    await type('exit 4\r');
    expect((await untilEnded(running)).code).toBe(4);
    const [runId] = fs.readdirSync(path.join(home, 'runs'));
    const meta = JSON.parse(fs.readFileSync(path.join(home, 'runs', runId!, '.audit/meta.1.json'), 'utf8'));
    expect(meta.capture).toMatchObject({
      mode: 'merged',
      reason: 'an interactive shell needs one terminal for job control',
    });
  });

  test('is recorded on two terminals with --capture split', async () => {
    const running = tachoAtTerminal(
      ['run', '--isolate', '--scratch', '--capture', 'split', '--', ...shell],
      temporaryFolder(),
    );
    await running.printed('cannot set terminal process group');
    await running.terminal.write(Buffer.from('exit 4\r'));
    expect((await untilEnded(running)).code).toBe(4);
    expect(running.text()).not.toContain('one stream');
  });
});

describe('tacho attach to a full-screen program', () => {
  /** For each input line, enables the full-screen modes and prints the line. */
  const FULL_SCREEN = String.raw`while read -r line; do printf '\033[?1049h\033[?1000h\033[?2004h\033[?25l\033[>1u\033[H<%s>' "$line"; done; exit 5`;
  const RESTORED_MODES = '\x1b[<1u\x1b[?1000l\x1b[?2004l\x1b[?25h\x1b[?1049l';
  const child = (pid: number) => Number(fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim());
  const ways: [string, (running: RunningTerminal) => unknown, number, string][] = [
    ['Ctrl-]', ({ terminal }) => terminal.write(Buffer.from('\x1d')), 0, 'detached; the run keeps running'],
    ['Ctrl-] with kitty keys', ({ terminal }) => terminal.write(Buffer.from('\x1b[93;5u')), 0, 'detached'],
    ['SIGTERM', ({ terminal }) => process.kill(child(terminal.pid), 'SIGTERM'), 143, 'detached'],
    ['SIGINT', ({ terminal }) => process.kill(child(terminal.pid), 'SIGINT'), 130, 'detached'],
    ['SIGHUP', ({ terminal }) => process.kill(child(terminal.pid), 'SIGHUP'), 129, 'detached'],
    ['the end of the run', ({ terminal }) => terminal.write(Buffer.from('\x04')), 0, 'the run has ended'],
  ];

  test('restores the terminal on every way of detaching', async () => {
    const home = temporaryFolder();
    const run = spawn(process.execPath, [tachoCommand, 'run', '--scratch', '--', 'sh', '-c', FULL_SCREEN], {
      env: { ...process.env, TACHO_HOME: home },
      // It needs no terminal, but an input that stays open.
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const ended = finished(run);
    const sockets = path.join(home, 'sock');
    const live = () => fs.existsSync(sockets) && fs.readdirSync(sockets).some((name) => name.endsWith('.sock'));
    await expect.poll(live).toBe(true);
    // All signals are handled alike.
    const some = ways.filter(([way]) => proofSize({ small: way !== 'SIGINT' && way !== 'SIGHUP', full: true }));
    for (const [way, leave, code, says] of some) {
      const running = tachoAtTerminal(['attach', 'last'], home);
      await running.printed('attached to ');
      await running.terminal.write(Buffer.from(`${way}\r`));
      await running.printed(`<${way}>`);
      await leave(running);
      const { code: actual, modes } = await untilEnded(running);
      expect([way, actual, modes.after]).toEqual([way, code, modes.before]);
      expect(running.text(), way).toContain(RESTORED_MODES);
      expect(running.text(), way).toContain(says);
    }
    expect((await ended).code).toBe(5);
  });
});
