import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { TerminalOutput } from '../../../src/tools/index.ts';
import { leftSleeping, uniqueSeconds } from '../../acceptance/containment/outliving-ways.ts';
import { startFile } from '../../journal/workspace.ts';
import { tachoCommand } from '../../support/tacho.ts';
import { isRunning } from '../../terminal/run-terminal.ts';
import { type OpenedTerminals, openForTest, untilShown } from './opened.ts';

const LOOP = 'echo "ready $$"; while read -r line; do echo "got $line"; done';
const never = new AbortController().signal;

function startAgent({ workspace }: OpenedTerminals, line: string, end: 'wait' | 'exit') {
  const program = fileURLToPath(new URL('./programs/open-terminal.ts', import.meta.url));
  return startFile(program, [workspace, tachoCommand, line, end]);
}

/** Sessions of the daemon by name; null without a daemon. */
async function namesOf({ daemon }: OpenedTerminals): Promise<(string | null)[]> {
  const { sessions } = await daemon.client().call('session.list', {});
  return sessions.map(({ name }) => name).sort();
}

test('a terminal survives kill -9 of the process that opened it, and another process continues it', async () => {
  const opened = openForTest();
  const agent = startAgent(opened, LOOP, 'wait');
  const first = JSON.parse((await agent.nextLine())!) as TerminalOutput;
  agent.child.kill('SIGKILL');
  await agent.exited;
  const id = first.sessionId!;
  const typed = await opened.type(id, 'on\n', { yieldMs: 0 });
  // What the buffer has is returned again, because another process has read it.
  const shown = await untilShown(opened, id, 'got on\n', typed.output);
  expect(shown).toMatch(/^ready \d+\non\ngot on\n$/);
  expect(typed.truncated).toBe(false);
  const pid = Number(/ready (\d+)/.exec(shown)![1]);
  expect(isRunning(pid)).toBe(true);
  await opened.terminals.close();
  expect(isRunning(pid)).toBe(false);
});

test('an open terminal does not keep the process of an agent running', async () => {
  const opened = openForTest();
  const agent = startAgent(opened, LOOP, 'exit');
  const { sessionId } = JSON.parse((await agent.nextLine())!) as TerminalOutput;
  expect(await agent.exited).toBe(0);
  expect(await opened.type(sessionId!, '\u0004')).toMatchObject({ sessionId: null, exitCode: 0 });
});

test('the end of a run ends its terminals, and no others', async () => {
  const opened = openForTest();
  const [own, other, foreign] = [uniqueSeconds(), uniqueSeconds(), uniqueSeconds()];
  await opened.exec(`sleep ${own} & exec sleep ${own}`, { yieldMs: 0, callId: 'first call' });
  await opened.exec(`exec sleep ${own}`, { yieldMs: 0, callId: 'second' });
  const second = opened.again({ runId: 'run-12' });
  const request = { callId: 'third', argv: ['sleep', other], cwd: opened.workspace, env: {}, maxOutputChars: 1000 };
  await second.execCommand({ ...request, yieldMs: 0 }, never);
  await opened.daemon.client().call('session.create', { kind: 'exec', argv: ['sleep', foreign], name: 'mine' });
  await expect.poll(() => leftSleeping(own, { settled: true })).toHaveLength(3);
  expect(await namesOf(opened)).toEqual(['agent:run-12:third', 'agent:run-1:first_call', 'agent:run-1:second', 'mine']);
  await opened.terminals.close();
  expect(leftSleeping(own)).toEqual([]);
  expect(await namesOf(opened)).toEqual(['agent:run-12:third', 'mine']);
  await expect.poll(() => [leftSleeping(other), leftSleeping(foreign)].map(({ length }) => length)).toEqual([1, 1]);
  await second.close();
  expect(leftSleeping(other)).toEqual([]);
});

test('the end of a run without terminals starts no daemon', async () => {
  const { terminals, daemon } = openForTest();
  await terminals.close();
  expect(fs.existsSync(path.join(daemon.folder, 'server.json'))).toBe(false);
});

test('terminals that have ended are forgotten by the next call', async () => {
  const opened = openForTest();
  for (let count = 0; count < 5; count++) expect((await opened.exec('seq 1000')).exitCode).toBe(0);
  await expect.poll(() => namesOf(opened)).toHaveLength(1);
  await opened.terminals.close();
  expect(await namesOf(opened)).toEqual([]);
});

test('a call that is repeated types nothing again', async () => {
  const opened = openForTest();
  const { sessionId } = await opened.exec('cat', { yieldMs: 0 });
  const id = sessionId!;
  const write = (text: string, callKey: string, terminals = opened.terminals) =>
    terminals.writeStdin({ sessionId: id, text, callKey, yieldMs: 0, maxOutputChars: 1000 }, never);
  await write('one\n', '1.call');
  await write('one\n', '1.call', opened.again());
  await write('two\n', '2.call');
  // The same key of another run is another call.
  await write('three\n', '2.call', opened.again({ runId: 'run-2' }));
  await write('\u0004', '3.call');
  // Also when the terminal has ended meanwhile: nothing is lost by repeating it.
  await expect.poll(async () => (await write('\u0004', '3.call')).exitCode).toBe(0);
  const { output } = await opened
    .again()
    .writeStdin({ callKey: '4.call', sessionId: id, text: '', yieldMs: 0, maxOutputChars: 1000 }, never);
  expect(output.match(/one|two|three/g)!.sort()).toEqual(['one', 'one', 'three', 'three', 'two', 'two']);
});

test('a cancelled command is ended with everything it started', async () => {
  const opened = openForTest();
  const [own, apart] = [uniqueSeconds(), uniqueSeconds()];
  const cancelling = new AbortController();
  const script = `trap '' INT HUP TERM; (setsid sleep ${apart} &); touch began; sleep ${own}; sleep ${own}`;
  const running = opened.exec(script, {}, cancelling.signal);
  await expect.poll(() => fs.existsSync(path.join(opened.workspace, 'began'))).toBe(true);
  cancelling.abort();
  await expect(running).rejects.toMatchObject({ kind: 'cancelled' });
  expect([...leftSleeping(own), ...leftSleeping(apart)]).toEqual([]);
  expect(await namesOf(opened)).toEqual([]);
});

test('a command that is cancelled while its daemon starts is ended too', async () => {
  const opened = openForTest();
  const own = uniqueSeconds();
  const cancelling = new AbortController();
  const running = opened.exec(`sleep ${own}`, {}, cancelling.signal);
  cancelling.abort();
  await expect(running).rejects.toMatchObject({ kind: 'cancelled' });
  await opened.terminals.close();
  await expect.poll(() => leftSleeping(own)).toEqual([]);
});

test('a cancelled wait interrupts the program, and its terminal ends with the run', async () => {
  const opened = openForTest();
  const own = uniqueSeconds();
  const script = `trap 'touch interrupted' INT; echo ready; while :; do sleep ${own}; done`;
  const { sessionId, output } = await opened.exec(script, { yieldMs: 50 });
  await untilShown(opened, sessionId!, 'ready', output);
  await expect.poll(() => leftSleeping(own, { settled: true })).not.toEqual([]);
  const cancelling = new AbortController();
  const waiting = opened.type(sessionId!, '', {}, cancelling.signal);
  cancelling.abort();
  await expect(waiting).rejects.toMatchObject({ kind: 'cancelled' });
  await expect.poll(() => fs.existsSync(path.join(opened.workspace, 'interrupted'))).toBe(true);
  await opened.terminals.close();
  expect(leftSleeping(own)).toEqual([]);
});

test('nothing is left of many terminals, in the daemon or here', async () => {
  const opened = openForTest();
  await opened.exec('true');
  const { pid } = opened.daemon.serverFile();
  const descriptors = () => fs.readdirSync(`/proc/${pid}/fd`).length;
  const children = () => fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  await opened.terminals.close();
  const own = fs.readdirSync('/proc/self/fd').length;
  const before = descriptors();
  for (let round = 0; round < 3; round++) {
    const started = await Promise.all(
      [...'abcdef'].map((letter) => opened.exec(`echo ${letter}; exec cat`, { yieldMs: 0, callId: letter })),
    );
    expect(started.every(({ sessionId }) => sessionId !== null)).toBe(true);
    await opened.terminals.close();
  }
  await expect.poll(() => [descriptors() <= before, children()]).toEqual([true, '']);
  await expect.poll(() => fs.readdirSync('/proc/self/fd').length <= own).toBe(true);
});
