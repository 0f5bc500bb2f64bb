import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openDescriptors, runTerminal, startTerminal, temporaryFolder, until } from './run-terminal.ts';

const XOFF = Buffer.from('\x13');

describe('stopped output', () => {
  test('by ^S does not prevent the drain', async () => {
    const end = await runTerminal(
      ['sh', '-c', 'echo ready; read -r line; exit 3'],
      {},
      async ({ terminal, printed }) => {
        await printed('ready\n');
        await terminal.write(Buffer.concat([XOFF, Buffer.from('\n')]));
      },
    );
    expect(end).toMatchObject({ exitCode: 3, drained: true });
    expect(end.a.toString()).toBe('ready\n');
  });

  test('by ^S is resumed for left-behind processes before they are ended', async () => {
    const script = 'echo ready; read -r line; (echo late) & exit 0';
    const end = await runTerminal(['bash', '-c', script], { lingerMs: 60_000 }, async ({ terminal, printed }) => {
      await printed('ready\n');
      await terminal.write(Buffer.concat([XOFF, Buffer.from('\n')]));
    });
    expect(end).toMatchObject({ exitCode: 0, drained: true, leftBehind: 0 });
    expect(end.a.toString()).toBe('ready\nlate\n');
  });

  test('by the program itself is resumed at the end', async () => {
    const end = await runTerminal(['perl', '-MPOSIX', '-e', '$| = 1; print "x"; POSIX::tcflow(1, TCOOFF); exit 4']);
    expect(end).toMatchObject({ exitCode: 4, drained: true });
    expect(end.a.toString()).toBe('x');
  });
});

describe('a program that changes its terminal', () => {
  test('by turning output processing on is reported', async () => {
    const script = 'printf "a\\n"; stty opost onlcr; printf "b\\n"';
    const end = await runTerminal(['sh', '-c', script]);
    expect(end).toMatchObject({ outputProcessingRestored: true, drained: true });
    expect(end.a.toString()).toBe('a\nb\r\n');
    expect(await runTerminal(['sh', '-c', 'stty sane <&2 2>/dev/null'])).toMatchObject({
      outputProcessingRestored: true,
    });
    expect(await runTerminal(['sh', '-c', script], { mode: 'merged' })).toMatchObject({
      outputProcessingRestored: false,
    });
  });

  test('to raw mode, as libuv does it, keeps its bytes unchanged', async () => {
    const code = 'process.stdin.setRawMode(true); process.stdout.write("a\\nb\\n"); process.stdin.setRawMode(false)';
    const end = await runTerminal(['node', '-e', code]);
    expect(end.a.toString()).toBe('a\nb\n');
    expect(end).toMatchObject({ outputProcessingRestored: false, drained: true });
  });

  test('to non-blocking, and fills it, is still drained', async () => {
    const code = [
      'use POSIX; use Fcntl; fcntl(STDOUT, F_SETFL, fcntl(STDOUT, F_GETFL, 0) | O_NONBLOCK);',
      '$n = 0; while (defined($w = syswrite(STDOUT, "x" x 1000))) { $n += $w } syswrite(STDERR, $n)',
    ].join(' ');
    const running = startTerminal(['perl', '-e', code]);
    running.terminal.pause();
    await running.terminal.exited;
    running.terminal.resume();
    expect(await running.terminal.ended).toMatchObject({ exitCode: 0, drained: true });
    expect(running.output('a').length).toBe(Number(running.text('b')));
  });

  test('by hanging it up loses only the rest of its own output', async () => {
    // Only the superuser may; for other users the call fails without effect.
    const code = '$| = 1; print "before\\n"; <STDIN>; syscall(153); print "after\\n"; exit 3';
    const running = startTerminal(['perl', '-e', code], { cwd: temporaryFolder() });
    await running.printed('before\n');
    await running.terminal.write(Buffer.from('\n'));
    await running.terminal.exited;
    running.terminal.resize(100, 30);
    await running.terminal.write(Buffer.from('x'));
    const end = await running.terminal.ended;
    expect(end.exitCode).toBe(3);
    expect(running.text()).toMatch(/^before\n(after\n)?$/);
    expect(running.terminal.expectsNewlineTranslation()).toBe(false);
  });

  test('to a line discipline that cannot be written is not drained, and reported so', async () => {
    const code = '$| = 1; print "before\\n"; $null = pack("i", 27); ioctl(STDOUT, 0x5423, $null) or exit 9; exit 3';
    const end = await runTerminal(['perl', '-e', code]);
    if (end.exitCode === 9) return; // This kernel does not have this discipline.
    expect(end).toMatchObject({ exitCode: 3, drained: false });
    expect(end.a.toString()).toBe('before\n');
  });
});

test('a reader blocked for longer than the deadline while paused loses nothing', async () => {
  const running = startTerminal(['sh', '-c', 'printf %03000d 1']);
  running.terminal.pause();
  await running.terminal.exited;
  // Block the event loop, as if this process were stopped.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  running.terminal.resume();
  expect(await running.terminal.ended).toMatchObject({ drained: true });
  expect(running.text()).toBe('1'.padStart(3000, '0'));
});

test('a marker that cannot be written before the deadline is dropped, and written nowhere else', async () => {
  // Block every thread that could write it: each opens a pipe without a writer.
  const folder = temporaryFolder();
  const pipes = Array.from({ length: Number(process.env.UV_THREADPOOL_SIZE ?? 4) }, (_, pipe) => `${folder}/${pipe}`);
  for (const pipe of pipes) execFileSync('mkfifo', [pipe]);
  const opened = pipes.map((pipe) => new Promise<number>((resolve) => fs.open(pipe, 'r', (_, fd) => resolve(fd))));
  const masters = () => openDescriptors().filter((name) => name.includes('ptmx')).length;
  const running = startTerminal(['sh', '-c', 'echo out; echo err >&2; exit 7']);
  await running.printed('out\n');
  await until(() => masters() === 0, 'the deadline has passed');
  // Would reuse the terminal's descriptor number if it had been closed during the pending write.
  const file = `${folder}/innocent`;
  const descriptors = Array.from({ length: 8 }, () => fs.openSync(file, 'a'));
  for (const pipe of pipes) fs.closeSync(fs.openSync(pipe, 'w'));
  for (const fd of await Promise.all(opened)) fs.closeSync(fd);
  expect(await running.terminal.ended).toMatchObject({ exitCode: 7, drained: false });
  for (const fd of descriptors) fs.closeSync(fd);
  expect([running.text('a'), running.text('b'), fs.readFileSync(file, 'utf8')]).toEqual(['out\n', 'err\n', '']);
  expect(await runTerminal(['true'])).toMatchObject({ drained: true });
});
