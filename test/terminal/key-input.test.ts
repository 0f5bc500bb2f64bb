import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { agent, type RunningTerminal, type StartOptions, startTerminal, temporaryFolder } from './run-terminal.ts';

interface Typing extends RunningTerminal {
  type(keys: string): Promise<void>;
}

function start(argv: readonly string[], options: StartOptions = {}): Typing {
  const running = startTerminal(argv, options);
  onTestFinished(async () => {
    await running.terminal.kill(0);
    await running.terminal.ended;
  });
  return { ...running, type: (keys) => running.terminal.write(Buffer.from(keys)) };
}

/** A program that reads single keys from one of its descriptors and prints them as hex. */
const keysOf = (descriptor: number, ...modes: string[]) =>
  `exec perl ${agent('read-keys.pl')} ${descriptor} ${modes.join(' ')}`;

const shell = (script: string) => ['bash', '--norc', '-c', script];

function longFile(): string {
  const file = path.join(temporaryFolder(), 'long');
  fs.writeFileSync(file, Array.from({ length: 500 }, (_, line) => `line ${line}\n`).join(''));
  return file;
}

describe('keys on two terminals', () => {
  test.each([
    ['a program that reads keys from stderr', 2],
    ['a program that reads keys from stdin', 0],
  ])('reach %s', async (_, descriptor) => {
    const running = start(shell(keysOf(descriptor)));
    await running.printed('ready');
    await running.type('q');
    await running.printed('key 71');
    await running.type('\x04');
    await running.printed('key 04');
  });

  test('go to the first terminal while both read lines, and while both read keys', async () => {
    const running = start(shell(`read -r line; echo "got $line"; stty raw <&2; ${keysOf(0)}`));
    await running.type('hello\r');
    await running.printed('got hello');
    await running.printed('ready');
    await running.type('x');
    await running.printed('key 78');
  });

  test.each([
    ['Ctrl-C', '\x03', 'INT'],
    ['Ctrl-\\', '\x1c', 'QUIT'],
    ['Ctrl-Z', '\x1a', 'TSTP'],
  ])('%s is a signal for a program that reads the second terminal, and is not echoed', async (_, key, signal) => {
    const running = start(shell(keysOf(2, 'isig')), { echo: true });
    await running.printed('ready');
    await running.type(`a${key}b`);
    await running.printed(`signal ${signal}`);
    await running.printed('key 61');
    await running.printed('key 62');
    expect(running.text()).not.toContain('^');
  });

  test('Ctrl-C is a key for a program that wants to read it', async () => {
    const running = start(shell(keysOf(2, '-isig')));
    await running.printed('ready');
    await running.type('\x03');
    await running.printed('key 03');
  });

  test('remapped and disabled signal keys follow the program’s settings', async () => {
    const running = start(shell(keysOf(2, 'isig', 'intr', '^T', 'quit', 'undef')));
    await running.printed('ready');
    await running.type('\x03\x1c');
    await running.printed(/key 03\s+key 1c/);
    await running.type('\x14');
    await running.printed('signal INT');
  });

  test('go to a line read after a killed pager left its modes behind', async () => {
    const running = start(shell(`less ${longFile()}; echo "over"; read -r line; echo "got $line"`));
    await running.printed('line 1');
    const less = fs.readFileSync(`/proc/${running.terminal.pid}/task/${running.terminal.pid}/children`, 'latin1');
    process.kill(Number(less), 'SIGKILL');
    await running.printed('over');
    await running.type('hello\r');
    await running.printed('got hello');
  });

  test.each([
    ['at once', ''],
    ['after a while', 'sleep 0.3; '],
  ])('of one write go to the pager started by its first line %s, and to the program after it', async (_, before) => {
    const script = `echo ready; read -r one; ${before}less ${longFile()}; read -r two; echo "<$one $two>"`;
    const running = start(shell(script));
    await running.printed('ready');
    await running.type('first\rq');
    await running.type('second\r');
    await running.printed('<first second>');
  });

  test('all arrive in order when a program does not read for a while', async () => {
    const running = start(shell('sleep 0.5; while read -r line; do echo "got $line"; done'));
    const lines = Array.from({ length: 50 }, (_, line) => `line ${line}`);
    await Promise.all([running.type(`${lines.join('\r')}\r`), running.type('end\r'), running.type('\x04')]);
    await running.terminal.ended;
    expect(running.text()).toBe([...lines, 'end'].map((line) => `got ${line}\n`).join(''));
  });

  test('a terminal that the program hung up takes keys without an error', async () => {
    const running = start(shell('read -r line; echo "got $line"'));
    await running.type('x\r');
    await running.terminal.ended;
    await running.type('too late\rq');
  });

  test('line feeds are translated as the terminal that reads keys requires', async () => {
    const running = start(shell('stty raw -onlcr <&2; echo ready; read -r _ <&2'));
    await running.printed('ready');
    expect(running.terminal.expectsNewlineTranslation()).toBe(false);
  });
});

describe('Ctrl-Z', () => {
  test('continues a stopped program that has no shell to continue it', async () => {
    const running = start(shell(keysOf(0, 'isig')));
    await running.printed('ready');
    await running.type('\x1a');
    await running.printed('continued');
    await running.type('x');
    await running.printed('key 78');
  });

  test('stops a job of a shell until it is continued', async () => {
    const running = start(['bash', '--norc', '-i'], { mode: 'merged', echo: true });
    await running.type('echo go on; cat; echo "status $?"\r');
    await running.printed('go on\r\n');
    await running.type('one\r');
    await running.printed('one\r\none\r\n');
    await running.type('\x1a');
    await running.printed(/Stopped\s+cat/);
    await running.type('jobs; fg\r');
    await running.printed(/\[1\]\+\s+Stopped\s+cat[\s\S]*\ncat\r\n/);
    await running.type('two\r');
    await running.printed('two\r\ntwo\r\n');
    await running.type('\x03');
    await running.printed('status ');
  });
});
