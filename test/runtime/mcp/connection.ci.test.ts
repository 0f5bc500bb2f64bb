import { spawn } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { command, daemonOf, sharedDaemon, startTacho } from '../../acceptance/runtime/daemon.ts';
import { finished } from '../../support/tacho.ts';
import { isRunning, until } from '../../terminal/run-terminal.ts';
import { sharedMcp } from './connect-mcp.ts';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'old', version: '1' } },
};

const daemon = sharedDaemon();
const shared = sharedMcp(daemon);

test('a call canceled by the client ends its command', async () => {
  const { session_id } = (await shared.call('open_session')).structured;
  const taken = new AbortController();
  const running = shared.client.callTool(
    { name: 'run_command', arguments: { session_id, command: 'echo begun; sleep 600' } },
    { signal: taken.signal },
  );
  await shared.call('read_output', { session_id, wait_ms: 20_000 });
  taken.abort();
  await expect(running).rejects.toThrow();
  const watcher = daemon.client();
  // It really ended: the session accepts the next command.
  while ((await watcher.call('session.info', { session_id })).state === 'running') await pause();
  expect((await shared.call('run_command', { session_id, command: 'echo on' })).structured.stdout.text).toBe('on\n');
});

test('a client that requests progress can wait longer than its timeout', async () => {
  const seen: number[] = [];
  const result = await shared.client.callTool(
    { name: 'run_program', arguments: { argv: ['sleep', '6'] } },
    { timeout: 5000, resetTimeoutOnProgress: true, onprogress: ({ progress }) => void seen.push(progress) },
  );
  expect(result.structuredContent).toMatchObject({ exit_code: 0 });
  expect(seen.slice(0, 2)).toEqual([1, 2]);
});

test('a server exits when its client is killed', async () => {
  const { workspace } = daemonOf();
  // Starts its arguments like a client, prints their pid after their answer, and waits forever.
  const program = `const child = require('child_process').spawn(process.argv[1], process.argv.slice(2));
    child.stdin.write(${JSON.stringify(`${JSON.stringify(INITIALIZE)}\n`)});
    child.stdout.once('data', () => console.log(child.pid));`;
  const client = spawn(process.execPath, ['-e', program, ...command, 'mcp', '--workspace', workspace]);
  onTestFinished(() => void client.kill('SIGKILL'));
  const pid = Number(await new Promise((resolve) => client.stdout.once('data', resolve)));
  expect(isRunning(pid)).toBe(true);
  client.kill('SIGKILL');
  await until(() => !isRunning(pid), 'the server has ended');
});

test('the next call starts a killed daemon again; its sessions are gone', async () => {
  const { session_id } = (await shared.call('open_session')).structured;
  await daemon.crash();
  expect((await shared.call('list_sessions')).structured).toEqual({ sessions: [] });
  expect((await shared.call('run_command', { session_id, command: 'true' })).error.code).toBe('SESSION_NOT_FOUND');
});

test('serves a client of an older protocol; stdout has only messages; the end of stdin ends the server', async () => {
  const { workspace } = daemonOf();
  const child = startTacho(['mcp', '--workspace', workspace]);
  const done = finished(child);
  const send = (message: unknown) => child.stdin!.write(`${JSON.stringify(message)}\n`);
  let answers = '';
  child.stdout!.on('data', (bytes) => (answers += String(bytes)));
  child.stdin!.write('this is no message\n{"half": \n');
  send(INITIALIZE);
  send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'list_sessions', arguments: {} } });
  await until(() => answers.includes('"id":2'), 'both answers are there');
  child.stdin!.end();
  expect(await done).toMatchObject({ code: 0, stderr: '' });
  const messages = answers
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(messages).toMatchObject([
    { id: 1, result: { protocolVersion: '2025-06-18', serverInfo: { name: 'tacho' } } },
    { id: 2, result: { structuredContent: { sessions: [] } } },
  ]);
});

test('a message that is too long, or a client that disconnects at once, ends the server', async () => {
  const { workspace } = daemonOf();
  const flooded = startTacho(['mcp', '--workspace', workspace]);
  onTestFinished(() => void flooded.kill('SIGKILL'));
  flooded.stdin!.on('error', () => {}); // It stops reading, as expected.
  const ended = finished(flooded);
  flooded.stdin!.write('x'.repeat(11_000_000));
  expect(await ended).toMatchObject({ code: 0, stdout: '', stderr: expect.stringMatching(/^tacho: .*size/) });
  const silent = startTacho(['mcp', '--workspace', workspace]);
  silent.stdin!.end();
  expect(await finished(silent)).toMatchObject({ code: 0, stdout: '', stderr: '' });
});

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}
