import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { drawScreen, type Emulator, type OpenScreen, screenOf } from '../../src/terminal/index.ts';
import { temporaryFolder } from '../support/tacho.ts';
import { openSessions, untilPrinted } from './run-sessions.ts';

/** The page's emulator, which also works without a page. Its types are the browser's. */
const { Terminal } = createRequire(import.meta.url)('@xterm/xterm') as {
  Terminal: new (options: { cols: number; rows: number; allowProposedApi: boolean }) => Emulator;
};
const emulate = (size: { cols: number; rows: number }) => new Terminal({ ...size, allowProposedApi: true });
const openScreen: OpenScreen = (size) => screenOf(emulate(size), drawScreen);
const written = (emulator: Emulator, text: string) => new Promise<void>((done) => emulator.write(text, done));

function linesOf(emulator: Emulator): string[] {
  const { active } = emulator.buffer;
  return Array.from({ length: emulator.rows }, (_, row) => {
    const line = active.getLine(active.baseY + row);
    const cells = Array.from({ length: emulator.cols }, (_, x) => line?.getCell(x));
    // The second half of a wide character has no width and no text.
    return cells
      .map((cell) => (cell?.getWidth() === 0 ? '' : cell?.getChars() || ' '))
      .join('')
      .trimEnd();
  });
}

test('a shell on a terminal takes keys, knows its size, and reports how it ended', async () => {
  const under = openSessions();
  const argv = ['bash', '--norc', '--noprofile', '-i'];
  const env = { set: { PS1: '> ' } };
  const { session_id } = await under.call('session.create', { kind: 'pty', argv, env, cols: 100, rows: 30 });
  await untilPrinted(under, session_id, '> ');
  await under.call('session.write', { session_id, data: 'tty >/dev/null && stty size\r' });
  await untilPrinted(under, session_id, '30 100');
  await under.call('session.resize', { session_id, cols: 120, rows: 40 });
  await under.call('session.write', { session_id, data: 'stty size\r' });
  await untilPrinted(under, session_id, '40 120');
  // One process that prints when it is ready: a shell may lose a ^C while it starts a program.
  const program = `${process.execPath} -e 'console.log("a" + "sleep"); setTimeout(() => {}, 300000)'`;
  await under.call('session.write', { session_id, data: `${program}\r` });
  await untilPrinted(under, session_id, 'asleep');
  const { end } = under.sessions.find(session_id).streams.stdout!;
  await under.call('session.write', { session_id, data: '\x03' });
  // ^C discards unread input: type the next line at the next prompt.
  await untilPrinted(under, session_id, '> ', end);
  await under.call('session.write', { session_id, data: 'exit 6\r' });
  await under.sessions.find(session_id).whenClosed;
  expect(await under.call('session.info', { session_id })).toMatchObject({
    state: 'terminated',
    cols: 120,
    rows: 40,
    end: { exit_code: 6, signal: null, reason: 'exited' },
  });
});

test('a late client gets the current screen, and continues from there', async () => {
  const under = openSessions({ openScreen });
  const script =
    'printf "one\\r\\n\\033[1;31mtwo\\033[0m  \\033[44mthree\\033[0m"; read line; printf "\\r\\nfour %s" "$line"; read line';
  const argv = ['bash', '-c', script];
  const { session_id } = await under.call('session.create', { kind: 'pty', argv, cols: 20, rows: 5 });
  await untilPrinted(under, session_id, 'three');
  const first = await under.call('session.attach', { session_id, client_id: 'first' });
  const late = emulate({ cols: 20, rows: 5 });
  await written(late, first.snapshot!);
  expect(linesOf(late)).toEqual(['one', 'two  three', '', '', '']);
  expect(late.buffer.active).toMatchObject({ cursorX: 10, cursorY: 1 });
  const cell = late.buffer.active.getLine(1)!.getCell(0)!;
  expect([cell.isBold() > 0, cell.getFgColor()]).toEqual([true, 1]);
  await under.call('session.attach', { session_id, client_id: 'second' });
  expect(await under.call('session.info', { session_id })).toMatchObject({ attached: 2 });
  await under.call('session.write', { session_id, data: 'x\r' });
  await written(late, await untilPrinted(under, session_id, 'four x', first.next));
  expect(linesOf(late)[3]).toBe('four x');
  await under.call('session.detach', { session_id, client_id: 'second' });
  expect(await under.call('session.info', { session_id })).toMatchObject({ attached: 1 });
});

test('a redrawn screen equals the original, also for a full-screen program', async () => {
  const pictures = [
    'plain\r\nlines\r\n\r\nlast',
    '\x1b[?1049h\x1b[2J\x1b[3;5Hdeep\x1b[7m bar \x1b[0m\x1b[5;1Hend',
    '\x1b[38;5;200mfar\x1b[48;2;1;2;3mtrue\x1b[0m \x1b[4;9mlined\x1b[0m',
    '日本語 wide\r\nand é',
    'more\r\n'.repeat(20),
    'x'.repeat(45),
    // Modes for keys, pastes and long lines.
    '\x1b[?1h\x1b=\x1b[?2004h\x1b[?1004h\x1b[?7lready',
  ];
  for (const picture of pictures) {
    const [original, copy] = [emulate({ cols: 20, rows: 6 }), emulate({ cols: 20, rows: 6 })];
    await written(original, picture);
    await written(copy, drawScreen(original));
    expect(linesOf(copy)).toEqual(linesOf(original));
    expect(drawScreen(copy)).toBe(drawScreen(original));
    expect(copy.buffer.active.type).toBe(original.buffer.active.type);
    expect(copy.modes).toEqual(original.modes);
  }
});

test('without an emulator a late client reads the buffered output', async () => {
  const under = openSessions();
  const { session_id } = await under.call('session.create', {
    kind: 'pty',
    argv: ['sh', '-c', 'echo kept; read line'],
  });
  await untilPrinted(under, session_id, 'kept');
  expect(await under.call('session.attach', { session_id, client_id: 'a' })).toMatchObject({ snapshot: null, next: 0 });
});

test('a program that ignores the first hang-up ends at the next', async () => {
  const under = openSessions();
  const deaf = `trap '' TERM; trap 'trap - HUP' HUP; echo ready; while :; do sleep 0.05; done`;
  const argv = ['bash', '-c', deaf];
  const { session_id } = await under.call('session.create', { kind: 'pty', argv, kill_grace_ms: 20_000 });
  await untilPrinted(under, session_id, 'ready');
  expect((await under.call('session.destroy', { session_id })).end).toMatchObject({ signal: 'SIGHUP' });
});

test('an interactive shell ends at once', async () => {
  const under = openSessions();
  const argv = ['bash', '--norc'];
  const { session_id } = await under.call('session.create', { kind: 'pty', argv, kill_grace_ms: 60_000 });
  await untilPrinted(under, session_id, 'bash-');
  expect((await under.call('session.destroy', { session_id })).end).toMatchObject({ signal: 'SIGHUP' });
});

test.each([
  [{ split: false }, Array.from({ length: 60_000 }, (_, n) => `line ${n}\n`).join('')],
  [{ split: true }, 'one long line '.repeat(50_000)],
])('input for a program that does not read yet blocks nothing and is not lost: %o', async (kind, input) => {
  const under = openSessions();
  const cwd = temporaryFolder();
  const reads = `head -c ${input.length} | sha256sum`;
  const script = `stty raw -echo; echo ready; until [ -e go ]; do sleep 0.02; done; ${reads}; sleep 300`;
  const created = { kind: 'pty' as const, argv: ['bash', '-c', script], cwd, ...kind };
  const { session_id } = await under.call('session.create', created);
  await untilPrinted(under, session_id, 'ready');
  expect(await under.call('session.write', { session_id, data: input })).toMatchObject({ written: input.length });
  // Far more than a terminal holds; other sessions work meanwhile.
  expect(await under.call('exec.run', { argv: ['touch', 'go'], cwd })).toMatchObject({ exit_code: 0 });
  await untilPrinted(under, session_id, createHash('sha256').update(input).digest('hex'));
});

test('a session whose program never reads can be destroyed', async () => {
  const under = openSessions();
  const argv = ['bash', '-c', 'stty raw; echo ready; sleep 300'];
  const { session_id } = await under.call('session.create', { kind: 'pty', argv, kill_grace_ms: 200 });
  await untilPrinted(under, session_id, 'ready');
  await under.call('session.write', { session_id, data: 'x'.repeat(3_000_000) });
  expect(await under.call('session.destroy', { session_id })).toMatchObject({ exited: true, closed: true });
});
