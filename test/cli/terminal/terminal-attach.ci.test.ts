import fs from 'node:fs';
import { expect, test } from 'vitest';
import { sharedDaemon } from '../../acceptance/runtime/daemon.ts';
import type { RunningTerminal, StartOptions } from '../../terminal/run-terminal.ts';
import { tachoIn } from '../tacho-in.ts';

/** For each input line, enables the full-screen modes and prints the line. */
const FULL_SCREEN = [
  'sh',
  '-c',
  String.raw`while read -r line; do printf '\033[?1049h\033[?1000h\033[?25l\033[H<%s>' "$line"; done; exit 5`,
];
const RESTORED_MODES = '\x1b[?1000l\x1b[?25h\x1b[?1049l';

const daemon = sharedDaemon();

interface Attached extends RunningTerminal {
  type(keys: string): Promise<void>;
  /** The modes of the terminal before and after it, and the exit code. */
  over(): Promise<{ before: string; after: string; code: number }>;
}

/** `tacho terminal attach` on a terminal, once it has drawn the screen. */
async function attach(words: readonly string[], options: StartOptions = {}): Promise<Attached> {
  const running = tachoIn(daemon.workspace).atTerminal(['terminal', 'attach', ...words], [], options);
  const type = (keys: string) => running.terminal.write(Buffer.from(keys));
  await running.printed(/Ctrl-\]( or Ctrl-C)? leaves it/);
  // A key that the session's terminal consumes, so that the screen is drawn at once.
  await type('\x11');
  await running.printed('\x1b[2J');
  return {
    ...running,
    type,
    over: async () => {
      await running.terminal.ended;
      const [, before, code, after] = /^(\S+)\r\n[\s\S]*code (\d+)\r\n(\S+)\r\n$/.exec(running.text()) ?? [];
      return { before: before!, code: Number(code), after: after! };
    },
  };
}

async function createPty(argv: string[], more = {}): Promise<string> {
  return (await daemon.client().call('session.create', { kind: 'pty', argv, ...more })).session_id;
}

/** The only child of the shell: tacho. */
function childOf(pid: number): number {
  return Number(fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim());
}

test('shows the session, passes keys, and gives it the size of our terminal', async () => {
  const session_id = await createPty(['sh', '-c', 'echo "see me"; while read -r line; do stty size; done']);
  const attached = await attach([session_id], { cols: 101, rows: 31 });
  await attached.type('one\r');
  await attached.printed('31 101\r\n');
  expect(attached.text()).toContain('see me');
  attached.terminal.resize(70, 20);
  await expect.poll(() => daemon.client().call('session.info', { session_id })).toMatchObject({ cols: 70, rows: 20 });
  await attached.type('two\r');
  await attached.printed('20 70\r\n');
  expect(await daemon.client().call('session.info', { session_id })).toMatchObject({ attached: 1 });
  await attached.type('\x04');
  const { before, after, code } = await attached.over();
  expect([code, after]).toEqual([0, before]);
  expect(attached.text()).toContain('the session has ended: exit code ');
});

test('shows both streams of a split session, with complete line endings', async () => {
  const script = 'echo early; echo "early error" >&2; read -r line; echo "out $line"; echo "err $line" >&2; exit 5';
  const session_id = await createPty(['sh', '-c', script], { split: true });
  const attached = await attach([session_id]);
  await attached.type('go\r');
  const { before, after, code } = await attached.over();
  expect([code, after]).toEqual([0, before]);
  for (const shown of ['early', 'early error', '\r\nout go\r\n', 'err go\r\n'])
    expect(attached.text()).toContain(shown);
  expect(attached.text()).toContain('the session has ended: exit code 5');
});

test('a bare line feed still moves down one row only', async () => {
  const session_id = await createPty(['sh', '-c', String.raw`stty -onlcr; read -r _; printf 'one\ntwo'`]);
  const attached = await attach([session_id]);
  await attached.type('go\r');
  await attached.over();
  expect(attached.text()).toContain('one\ntwo');
});

test('restores the terminal on every way of leaving', async () => {
  const session_id = await createPty(FULL_SCREEN);
  const ways: Record<string, { leave: (attached: Attached) => unknown; code: number; says: string }> = {
    'Ctrl-]': { leave: ({ type }) => type('\x1d'), code: 0, says: 'left; the session keeps running' },
    'Ctrl-] of a terminal with kitty’s keys': {
      leave: ({ type }) => type('\x1b[93;5u'),
      code: 0,
      says: 'left; the session keeps running',
    },
    SIGTERM: {
      leave: ({ terminal }) => process.kill(childOf(terminal.pid), 'SIGTERM'),
      code: 143,
      says: 'left; the session keeps running',
    },
    'a lost daemon': {
      leave: () => daemon.crash(),
      code: 1,
      says: 'the daemon of the workspace has ended, and its sessions with it',
    },
  };
  for (const [index, [way, { leave, code, says }]] of Object.entries(ways).entries()) {
    const attached = await attach([session_id]);
    await attached.type(`way ${index}\r`);
    await attached.printed(`<way ${index}>`);
    await leave(attached);
    const over = await attached.over();
    expect([over.code, over.after], way).toEqual([code, over.before]);
    expect(attached.text(), way).toContain(RESTORED_MODES);
    expect(attached.text(), way).toContain(says);
    if (way !== 'a lost daemon') {
      const info = () => daemon.client().call('session.info', { session_id });
      await expect.poll(info, { message: way }).toMatchObject({ attached: 0 });
    }
  }
});

test('ends when the session is ended elsewhere', async () => {
  const session_id = await createPty(FULL_SCREEN, { kill_grace_ms: 100 });
  const attached = await attach([session_id]);
  await attached.type('x\r');
  await attached.printed('<x>');
  await daemon.client().call('session.destroy', { session_id });
  const { before, after, code } = await attached.over();
  expect([code, after]).toEqual([0, before]);
  expect(attached.text()).toContain('the session has ended: it was ended');
});

test('a read-only viewer sends no keys and no size', async () => {
  const session_id = await createPty(['sh', '-c', 'echo "see me"; exec cat'], { cols: 120, rows: 40 });
  const attached = await attach([session_id, '--read-only'], { cols: 100, rows: 30 });
  expect(attached.text()).toContain('it has 120x40, more than fits here');
  await attached.type('typed');
  await attached.printed('see me');
  attached.terminal.resize(90, 25);
  await daemon.client().call('session.write', { session_id, data: 'from elsewhere\r' });
  await attached.printed('from elsewhere');
  await attached.type('\x03');
  expect(await attached.over()).toMatchObject({ code: 0 });
  const info = await daemon.client().call('session.info', { session_id });
  expect(info).toMatchObject({ cols: 120, rows: 40, state: 'running' });
  const { data } = await daemon.client().call('session.read', { session_id });
  expect(data).not.toContain('typed');
});

test('redraws the screen for a terminal that falls behind the session', async () => {
  const script = 'read -r _; seq 1 200000; echo "the end"; read -r _; echo "on it goes"; read -r _';
  const session_id = await createPty(['sh', '-c', script], { buffer_bytes: 4096 });
  const attached = await attach([session_id]);
  attached.terminal.pause();
  await attached.type('go\r');
  const stdout = async () => (await daemon.client().call('session.info', { session_id })).streams.stdout!.end;
  await expect.poll(stdout).toBeGreaterThan(1_000_000);
  attached.terminal.resume();
  await attached.printed('the end');
  await attached.type('\r');
  await attached.printed('on it goes');
  await attached.type('\x1d');
  expect(await attached.over()).toMatchObject({ code: 0 });
});
