import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { command, daemonOf, sharedDaemon, startTacho } from '../../acceptance/runtime/daemon.ts';
import { finished } from '../../support/tacho.ts';
import { tachoHere } from '../../support/tacho-here.ts';
import { tachoIn } from '../tacho-in.ts';

test('opens, uses and ends a session by its name', async () => {
  const { workspace } = daemonOf();
  const { run, json, jsonHere } = tachoIn(workspace);
  expect(await jsonHere(['runtime', 'status'])).toEqual({ running: false });
  const created = await json(['terminal', 'create', '--name', 'work', '--env', 'COLOUR=blue']);
  expect(created).toMatchObject({ kind: 'shell', name: 'work', state: 'idle' });
  expect(await run(['terminal', 'exec', 'work'], ['echo $COLOUR; echo no >&2; (exit 7)'])).toEqual({
    code: 7,
    signal: null,
    stdout: 'blue\n',
    stderr: 'no\n',
  });
  expect(await jsonHere(['terminal', 'exec', 'work'], ['printf x'])).toMatchObject({
    exit_code: 0,
    stdout: { data: 'x' },
  });
  expect((await run(['terminal', 'read', 'work'])).stdout).toBe('blue\nx');
  expect(await jsonHere(['terminal', 'read', 'work', '--stream', 'stderr'])).toMatchObject({ data: 'no\n', next: 3 });
  expect(await jsonHere(['terminal', 'ls'])).toMatchObject({ sessions: [{ session_id: created.session_id }] });
  expect((await run(['terminal', 'ls'])).stdout).toMatch(/shell +idle +work/);
  const env = process.env as Record<string, string>;
  const { stdout } = await tachoHere(['complete-sessions'], { cwd: workspace, env, input: '' });
  expect(stdout).toMatch(/^work\tshell /);
  expect(await jsonHere(['runtime', 'status'])).toMatchObject({ running: true, sessions: { active: 1 } });
  expect(await json(['terminal', 'kill', 'work'])).toMatchObject({ state: 'terminated' });
  expect(await jsonHere(['terminal', 'exec', 'work'], ['true'])).toMatchObject({
    error: { code: 'SESSION_NOT_FOUND' },
  });
  expect(await jsonHere(['runtime', 'cleanup'])).toEqual({ running: true, sessions: 0, children: 0 });
  expect(await json(['runtime', 'stop'])).toEqual({ running: false, stopped: true });
  expect(await jsonHere(['runtime', 'status'])).toEqual({ running: false });
});

const { workspace, client } = sharedDaemon();
const { run, here, jsonHere } = tachoIn(workspace);

test('types into a terminal, resizes it, signals it and follows it', async () => {
  const { session_id } = await jsonHere(['terminal', 'create', '--size', '90x20'], ['cat']);
  expect(await jsonHere(['terminal', 'write', session_id, 'one', '--enter'])).toEqual({ written: 4 });
  // The echo of the terminal, and then the output of the program.
  const output = async () => (await client().call('session.read', { session_id })).data;
  await expect.poll(output).toBe('one\r\none\r\n');
  await run(['terminal', 'write', session_id], [], 'two\n');
  await here(['terminal', 'resize', session_id, '100', '30']);
  expect(await client().call('session.info', { session_id })).toMatchObject({ cols: 100, rows: 30 });
  const attached = startTacho(['terminal', 'attach', session_id, '--workspace', workspace]);
  const watching = finished(attached);
  await new Promise<void>((resolve) => {
    let shown = '';
    attached.stdout!.on('data', (bytes) => {
      shown += String(bytes);
      if (shown.split('two').length > 2) resolve();
    });
  });
  expect(await jsonHere(['terminal', 'signal', session_id, 'int'])).toEqual({ reached: 1 });
  expect(await watching).toMatchObject({ code: 0 });
  expect((await here(['terminal', 'read', session_id, '--follow'])).stdout).toBe('one\r\none\r\ntwo\r\ntwo\r\n');
});

test('a command without a session runs in the current directory, and its exit code is returned', async () => {
  expect((await here(['terminal', 'exec'], ['pwd'])).stdout).toBe(`${process.cwd()}\n`);
  expect((await run(['terminal', 'exec'], ['sh', '-c', 'kill -9 $$'])).code).toBe(137);
  expect((await here(['terminal', 'exec', '--timeout', '100ms'], ['sleep', '60'])).code).toBe(124);
  expect((await here(['terminal', 'exec'], ['no-such-program'])).code).toBe(127);
  expect((await here(['terminal', 'exec'])).code).toBe(2);
});

test('exec -i passes a pipe or a file to a command, with and without a session', async () => {
  await here(['terminal', 'create', '--name', 'reader']);
  fs.writeFileSync(path.join(workspace, 'list.txt'), 'from a file\n');
  const tacho = (words: string) => `"$0" "$1" terminal exec --workspace "$2" ${words}`;
  const script = [
    `printf 'piped\n' | ${tacho('-i -- cat')}`,
    `printf 'to a session\n' | ${tacho("reader -i -- 'read -r kept; echo $kept'")}`,
    `${tacho('reader -i -- cat')} <"$2/list.txt"`,
    `printf 'left alone\n' | { ${tacho('-- cat')}; cat; }`,
  ];
  const child = spawn('sh', ['-c', script.join('; '), ...command, workspace]);
  expect(await finished(child)).toMatchObject({
    stdout: 'piped\nto a session\nfrom a file\nleft alone\n',
    stderr: '',
  });
});

test('input that does not fit into a message is refused with a remedy', async () => {
  const { code, stderr } = await run(['terminal', 'exec', '--stdin'], ['cat'], 'x'.repeat(6_000_001));
  expect([code, stderr]).toEqual([2, expect.stringContaining('tacho terminal write')]);
});

test('a workspace whose path is too long for a socket works too', async () => {
  const daemon = daemonOf();
  const deep = `${daemon.workspace}/${'long-name/'.repeat(12)}`;
  fs.mkdirSync(deep, { recursive: true });
  const { jsonHere } = tachoIn(deep);
  expect(await jsonHere(['terminal', 'exec'], ['echo', 'hi'])).toMatchObject({ stdout: { data: 'hi\n' } });
  const { socket_path } = JSON.parse(fs.readFileSync(`${deep}/.tacho/runtime/server.json`, 'utf8'));
  expect(socket_path.length).toBeLessThan(105);
  expect(await jsonHere(['runtime', 'stop'])).toMatchObject({ stopped: true });
  expect(fs.existsSync(socket_path)).toBe(false);
});
