import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { sharedDaemon } from '../../acceptance/runtime/daemon.ts';
import { removeFolder } from '../../support/tacho.ts';
import { type McpUnderTest, sharedMcp } from './connect-mcp.ts';

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-home-'));
afterAll(() => removeFolder(home));
const daemon = sharedDaemon({ TACHO_HOME: home });
const { workspace } = daemon;
const shared = sharedMcp(daemon);
const call: McpUnderTest['call'] = (...words) => shared.call(...words);

test('output is truncated to fit, and the omitted part can be read by its cursor', async () => {
  const { session_id } = (await call('open_session')).structured;
  const ran = await call('run_command', { session_id, command: 'seq 20000' });
  const { text, to, omitted } = ran.structured.stdout;
  const whole = Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join('');
  expect(to).toBe(whole.length);
  expect(ran.text.length).toBeLessThan(17_000);
  expect(text).toBe(
    `${whole.slice(0, omitted.after)}\n[… ${omitted.bytes} bytes left out …]\n${whole.slice(omitted.after + omitted.bytes)}`,
  );
  expect(ran.text).toContain(`read_output {session_id, stream: "stdout", after: ${omitted.after}}`);
  let read = '';
  for (let after = 0, more = true; more; ) {
    const { structured } = await call('read_output', { session_id, after });
    read += structured.data;
    ({ next: after, more } = structured);
  }
  expect(read).toBe(whole);
});

test('a timed-out command is ended, its output is kept, and the session keeps working', async () => {
  const { session_id } = (await call('open_session')).structured;
  const run = (timeout_ms: number) => call('run_command', { session_id, command: 'echo begun; sleep 600', timeout_ms });
  let ran = await run(200);
  // If the machine was too slow to start it.
  for (let timeout_ms = 400; ran.structured.stdout.text === ''; timeout_ms *= 2) ran = await run(timeout_ms);
  expect(ran.isError).toBe(false);
  expect(ran.structured).toMatchObject({ timed_out: true, stdout: { text: 'begun\n' } });
  expect(ran.text).toContain('It timed out');
  expect((await call('run_command', { session_id, command: 'echo on' })).blocks[1]).toBe('stdout:\non\n');
  expect((await call('run_command', { session_id, command: 'true' })).text).toMatch(/Exit code 0.*printed nothing/s);
});

test('a program runs without a session; binary output is reported as such', async () => {
  const ran = await call('run_program', { argv: ['printf', 'a\\377b'], env: { set: { MODE: 'x' } } });
  expect(ran.structured).toMatchObject({
    exit_code: 0,
    stdout: { text: 'a\u{fffd}b', exact: false },
    stderr: { text: '' },
  });
  expect(ran.text).toContain('not text');
  expect((await call('run_program', { argv: ['pwd'] })).structured.stdout.text).toBe(`${fs.realpathSync(workspace)}\n`);
  const missing = await call('run_program', { argv: ['no-such-program'] });
  expect(missing).toMatchObject({ isError: true, error: { code: 'COMMAND_UNAVAILABLE' } });
});

test('a command and a program read the input given with the call', async () => {
  const { session_id } = (await call('open_session')).structured;
  const sent = await call('run_command', { session_id, command: 'read -r first; cat', stdin: { data: 'one\ntwo' } });
  expect(sent.structured.stdout.text).toBe('two');
  const stdin = { data: Buffer.from('bytes').toString('base64'), encoding: 'base64' };
  expect((await call('run_program', { argv: ['cat'], stdin })).structured.stdout.text).toBe('bytes');
});

test('a client types into a terminal, resizes it, interrupts it and follows it to its end', async () => {
  const opened = await call('open_session', {
    kind: 'pty',
    argv: ['sh', '-c', 'read line; stty size; printf ready; exec cat'],
  });
  // Not before `ready`: a shell ignores an interrupt that comes while stty is ending by itself.
  const { session_id } = opened.structured;
  expect((await call('resize_terminal', { session_id, cols: 100, rows: 30 })).structured).toEqual({
    cols: 100,
    rows: 30,
  });
  expect((await call('write_input', { session_id, data: 'go\n', write_id: 'w1' })).structured.written).toBe(3);
  expect((await call('write_input', { session_id, data: 'go\n', write_id: 'w1' })).structured.repeated).toBe(true);
  let shown = '';
  for (let after = 0; !shown.includes('30 100\r\nready'); ) {
    const { structured } = await call('read_output', { session_id, after, wait_ms: 20_000 });
    shown += structured.data;
    after = structured.next;
  }
  expect((await call('send_signal', { session_id, signal: 'SIGINT' })).structured.reached).toBeGreaterThan(0);
  const end = await call('read_output', { session_id, after: shown.length, wait_ms: 20_000 });
  expect(end.structured).toMatchObject({ closed: true, state: 'terminated', end: { reason: 'killed' } });
  expect(end.text).toContain('That is the end of it.');
});

test('a call can wait for output of a session, and reports whether it came', async () => {
  const argv = ['sh', '-c', 'echo starting; read line; echo "listening on $line"; cat'];
  const { session_id } = (await call('open_session', { kind: 'exec', argv })).structured;
  const early = await call('read_output', { session_id, wait_for: 'listening', wait_ms: 50 });
  expect(early.structured).toMatchObject({ found: false, data: expect.stringMatching(/^(starting\n)?$/) });
  expect(early.text).toContain('"listening" is not in it.');
  const waiting = call('read_output', { session_id, wait_for: 'on 80', wait_ms: 20_000 });
  await call('write_input', { session_id, data: '80\n' });
  expect((await waiting).structured).toMatchObject({ found: true, data: 'starting\nlistening on 80\n', next: 25 });
  await call('write_input', { session_id, data: 'x'.repeat(20_000), end: true });
  const full = await call('read_output', { session_id, wait_for: 'never', after: 25, wait_ms: 20_000 });
  expect(full.structured).toMatchObject({ found: false, next: 25 + 16_384, more: true });
  const end = await call('read_output', { session_id, wait_for: 'never', after: 25 + 16_384, wait_ms: 20_000 });
  expect(end.structured).toMatchObject({ found: false, next: 20_025, closed: true });
  expect((await call('read_output', { session_id })).structured.found).toBeNull();
});

test('a session and a program are recorded as runs on request', async () => {
  const opened = await call('open_session', { kind: 'exec', argv: ['echo', 'kept'], record: true });
  const { run_id } = opened.structured.recording;
  expect(opened.text).toContain(`kept as run ${run_id}`);
  await call('close_session', { session_id: opened.structured.session_id });
  await call('run_program', { argv: ['true'], record: true });
  const runs = fs.readdirSync(path.join(home, 'runs'));
  expect(runs).toContain(run_id);
  expect(runs).toHaveLength(2);
  expect((await call('open_session')).structured.recording).toBeNull();
});

test('files of the workspace are written, listed and read in parts, without splitting a character', async () => {
  const data = 'äöü'.repeat(10);
  expect((await call('write_file', { path: 'note.txt', data })).structured).toMatchObject({ size: 60, type: 'file' });
  expect((await call('write_file', { path: 'note.txt', data: '!', append: true })).structured.size).toBe(61);
  let read = '';
  for (let offset = 0, end = false; !end; ) {
    const { structured } = await call('read_file', { path: 'note.txt', offset, max_bytes: 7 });
    expect(structured.encoding).toBe('utf8');
    read += structured.data;
    ({ next: offset, end } = structured);
  }
  expect(read).toBe(`${data}!`);
  fs.writeFileSync(path.join(workspace, 'bytes'), Buffer.from([255, 254]));
  expect((await call('read_file', { path: 'bytes' })).structured).toMatchObject({ data: '//4=', encoding: 'base64' });
  const first = await call('list_files', { max_entries: 1 });
  expect(first.structured).toMatchObject({ total: 3, next: 1 });
  const rest = await call('list_files', { offset: 1 });
  expect(rest.structured.entries.map((entry: { path: string }) => entry.path)).toEqual(['bytes', 'note.txt']);
});

test('a failed call returns a stable code, the reason and a remedy', async () => {
  const fails = async (tool: string, params: Record<string, unknown>) => {
    const { isError, error, text } = await call(tool, params);
    expect(isError).toBe(true);
    expect(text).toBe(`${error.code}: ${error.message}\n${error.fix}`);
    return error;
  };
  const { session_id } = (await call('open_session')).structured;
  expect(await fails('run_command', { session_id: 's-none', command: 'true' })).toMatchObject({
    code: 'SESSION_NOT_FOUND',
    facts: { session_id: 's-none' },
    fix: expect.stringContaining('list_sessions'),
  });
  expect(await fails('run_command', { session_id })).toMatchObject({
    code: 'INVALID_PARAMS',
    message: expect.stringContaining('command'),
  });
  expect((await fails('open_session', { kind: 'screen', colour: 1 })).message).toMatch(/kind.*colour/s);
  expect((await fails('open_session', { kind: 'exec' })).code).toBe('INVALID_PARAMS');
  expect((await fails('resize_terminal', { session_id, cols: 80, rows: 24 })).code).toBe('INVALID_PARAMS');
  expect((await fails('read_screen', { session_id })).message).toContain('has no screen');
  expect((await fails('send_signal', { session_id, signal: 'SIGNONE' })).code).toBe('INVALID_PARAMS');
  expect((await fails('read_output', { session_id, after: 99 })).code).toBe('INVALID_PARAMS');
  expect((await fails('read_file', { path: 'none' })).code).toBe('NOT_FOUND');
  expect((await fails('read_file', { path: '../outside' })).fix).toBeTypeOf('string');
  expect((await call('run_command', { session_id, command: 'exit 3' })).text).toMatch(
    /session has ended.*Exit code 3/s,
  );
  expect((await fails('run_command', { session_id, command: 'true' })).code).toBe('SESSION_TERMINATED');
  await expect(shared.client.callTool({ name: 'no_such_tool' })).rejects.toThrow('no_such_tool');
});

test('a busy session reports it and can be freed', async () => {
  const { session_id } = (await call('open_session')).structured;
  // One process, which is ready for the signal once it has printed.
  const running = call('run_command', { session_id, command: `sh -c 'echo begun; exec sleep 600'` });
  await call('read_output', { session_id, wait_ms: 20_000 });
  expect((await call('run_command', { session_id, command: 'true' })).error.code).toBe('SESSION_BUSY');
  await call('send_signal', { session_id, signal: 'SIGINT' });
  expect((await running).structured.stdout.text).toBe('begun\n');
  expect((await call('run_command', { session_id, command: 'echo free' })).structured.stdout.text).toBe('free\n');
});
