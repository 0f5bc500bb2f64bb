import { expect, test } from 'vitest';
import { openForTest, untilShown } from './opened.ts';

test('a command that ends returns its output and exit code', async () => {
  const { exec } = openForTest();
  expect(await exec('echo one; echo two >&2; tty >/dev/null && echo three; exit 3')).toEqual({
    sessionId: null,
    output: 'one\ntwo\nthree\n',
    truncated: false,
    exitCode: 3,
  });
});

test('the exit code is that of a shell, also for signals and missing programs', async () => {
  const { exec } = openForTest();
  const codeOf = async (line: string) => (await exec(line)).exitCode;
  expect(await codeOf('true')).toBe(0);
  expect(await codeOf('exit 255')).toBe(255);
  expect(await codeOf('no-such-program')).toBe(127);
  expect(await codeOf('kill -KILL $$')).toBe(128 + 9);
  expect(await codeOf('kill -TERM $$')).toBe(128 + 15);
});

test('a program that keeps running is continued by typing', async () => {
  const opened = openForTest();
  const { exec, type } = opened;
  const loop = 'while read -r -p "name? " name; do echo "hello, $name"; done; echo over';
  const first = await exec(loop, { yieldMs: 50 });
  expect(first).toMatchObject({ truncated: false, exitCode: null, sessionId: expect.stringMatching(/^s-/) });
  const id = first.sessionId!;
  expect(await untilShown(opened, id, 'name? ', first.output)).toBe('name? ');
  const typed = await type(id, 'Ada\n', { yieldMs: 0 });
  expect(await untilShown(opened, id, 'Ada\nhello, Ada\nname? ', typed.output)).toBe('Ada\nhello, Ada\nname? ');
  expect(await type(id, '\u0004')).toEqual({ sessionId: null, output: 'over\n', truncated: false, exitCode: 0 });
});

test('several lines are typed one after the other, as into an interpreter', async () => {
  const opened = openForTest();
  const { sessionId, output } = await opened.exec('python3 -q -c \'import code; code.interact(banner="")\'', {
    yieldMs: 50,
  });
  await untilShown(opened, sessionId!, '>>> ', output);
  const text = 'for n in range(3):\n  print(n * n)\n\nexit(7)\n';
  const ended = await opened.type(sessionId!, text);
  expect(ended).toMatchObject({ sessionId: null, exitCode: 7 });
  expect(ended.output).toContain('0\n1\n4\n');
});

test('Ctrl-C interrupts the program', async () => {
  const opened = openForTest();
  const handled = await opened.exec('trap "echo caught; exit 4" INT; echo ready; while :; do sleep 0.02; done', {
    yieldMs: 50,
  });
  await untilShown(opened, handled.sessionId!, 'ready', handled.output);
  expect(await opened.type(handled.sessionId!, '\u0003')).toMatchObject({
    sessionId: null,
    exitCode: 4,
    output: expect.stringContaining('caught\n'),
  });
  const plain = await opened.exec('echo ready; sleep 1000', { yieldMs: 50 });
  await untilShown(opened, plain.sessionId!, 'ready', plain.output);
  expect(await opened.type(plain.sessionId!, '\u0003')).toMatchObject({ sessionId: null, exitCode: 130 });
});

test('a program that does not read its input keeps running, and what was typed waits for it', async () => {
  const opened = openForTest();
  const program = 'stty -echo; echo ready; until [ -e go ]; do sleep 0.02; done; read -r line; echo "got $line"';
  const { sessionId, output } = await opened.exec(program, { yieldMs: 50 });
  const id = sessionId!;
  await untilShown(opened, id, 'ready', output);
  expect(await opened.type(id, 'early\n', { yieldMs: 30 })).toEqual({
    sessionId: id,
    output: '',
    truncated: false,
    exitCode: null,
  });
  expect(await opened.type(id, '', { yieldMs: 0 })).toMatchObject({ sessionId: id, output: '' });
  await opened.exec('touch go');
  expect(await opened.type(id, '')).toMatchObject({ sessionId: null, output: 'got early\n', exitCode: 0 });
});

test('a wait that is over returns what was printed so far, and the next call the rest', async () => {
  const opened = openForTest();
  const first = await opened.exec('echo one; until [ -e go ]; do sleep 0.02; done; echo two', { yieldMs: 0 });
  expect(await untilShown(opened, first.sessionId!, 'one\n', first.output)).toBe('one\n');
  await opened.exec('touch go');
  expect(await opened.type(first.sessionId!, '')).toMatchObject({ output: 'two\n', exitCode: 0 });
  // The end can be read again; there is nothing more.
  expect(await opened.type(first.sessionId!, '')).toMatchObject({ sessionId: null, output: '', exitCode: 0 });
});

test('of a flood the beginning and the end are kept, in little memory', async () => {
  const { exec, type, daemon } = openForTest();
  await exec('true');
  const client = daemon.client();
  const memory = async () => (await client.call('system.stats', {})).rss_bytes;
  const before = { own: process.memoryUsage.rss(), daemon: await memory() };
  const waiting = 'until [ -e go ]; do sleep 0.02; done; seq 1 1500000';
  const { sessionId } = await exec(waiting, { yieldMs: 0 });
  const flooding = type(sessionId!, '', { maxOutputChars: 2000 });
  await exec('touch go');
  const { output, truncated, exitCode } = await flooding;
  expect([truncated, exitCode]).toEqual([true, 0]);
  expect(output.length).toBeLessThan(2100);
  expect(output).toMatch(/^1\n2\n3\n/);
  expect(output).toMatch(/\n1499999\n1500000\n$/);
  expect(output).toMatch(/\n\[… \d{8} bytes left out …\]\n/);
  expect((await memory()) - before.daemon).toBeLessThan(64 * 1024 * 1024);
  expect(process.memoryUsage.rss() - before.own).toBeLessThan(64 * 1024 * 1024);
});

test('output that was lost while nothing read it is named', async () => {
  const opened = openForTest();
  const { sessionId } = await opened.exec('read -r line; seq 1 1000000; touch done; read -r line', { yieldMs: 0 });
  await opened.type(sessionId!, '\n', { yieldMs: 0 });
  await opened.exec('until [ -e done ]; do sleep 0.02; done');
  const { output, truncated } = await opened.type(sessionId!, '', { yieldMs: 0, maxOutputChars: 1000 });
  expect(truncated).toBe(true);
  expect(output).toMatch(/\[… \d+ bytes left out …\]\n/);
  expect(output).toMatch(/\n1000000\n$/);
});

test('binary output becomes text', async () => {
  const { exec } = openForTest();
  const program = 'srand 7; binmode STDOUT; print chr(int rand 256) for 1 .. 200_000; exit 5';
  const { output, exitCode } = await exec(`perl -e '${program}'`, { maxOutputChars: 60_000 });
  expect(exitCode).toBe(5);
  expect(output.length).toBeGreaterThan(10_000);
  // Whole characters, and no control character but the ends of lines and tabs.
  expect(Buffer.from(output).toString() === output).toBe(true);
  expect(/[^\P{Cc}\n\t]/u.test(output)).toBe(false);
});

test('control sequences are not shown, and what overwrites a line replaces it', async () => {
  const { exec } = openForTest();
  const colours = await exec(String.raw`printf '\e[1;31mred\e[0m \e]0;title\a\e[4mline\e[24m\n'`);
  expect(colours.output).toBe('red line\n');
  const progress = await exec(String.raw`printf 'step 1'; printf '\rstep 2'; printf '\r\e[Kdone  \n'; printf 'a\bb\n'`);
  expect(progress.output.trimEnd().split('\n')).toEqual(['done', 'b']);
});

test('a control sequence that arrives in two calls is not shown', async () => {
  const opened = openForTest();
  const script = String.raw`printf 'one\e['; read -r -s x; printf '31mtwo\e[0m\n'`;
  const first = await opened.exec(script, { yieldMs: 0 });
  expect(await untilShown(opened, first.sessionId!, 'one', first.output)).toBe('one');
  expect(await opened.type(first.sessionId!, '\n')).toMatchObject({ output: 'two\n', exitCode: 0 });
});

test('a program that starts others ends with all of them', async () => {
  const { exec } = openForTest();
  const { output } = await exec('sleep 1000 & setsid sleep 1000 & echo started', {});
  expect(output).toBe('started\n');
});

test('two agents have terminals of their own at the same time', async () => {
  const opened = openForTest();
  const other = opened.again({ runId: 'run-2' });
  const request = (line: string) => ({
    callId: 'call',
    argv: ['bash', '-c', line],
    cwd: opened.workspace,
    env: {},
    yieldMs: 120_000,
    maxOutputChars: 1000,
  });
  const signal = new AbortController().signal;
  const letters = [...'abcdef'];
  const results = await Promise.all(
    letters.flatMap((letter) => [
      opened.exec(`echo one ${letter}; exit 1`),
      other.execCommand(request(`echo two ${letter}; exit 2`), signal),
    ]),
  );
  expect(results.map(({ output, exitCode }) => `${output.trim()} ${exitCode}`)).toEqual(
    letters.flatMap((letter) => [`one ${letter} 1`, `two ${letter} 2`]),
  );
});
