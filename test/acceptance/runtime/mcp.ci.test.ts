import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { connectMcp } from '../../runtime/mcp/connect-mcp.ts';
import { projectRoot } from '../../support/tacho.ts';
import { isRunning, until } from '../../terminal/run-terminal.ts';
import { sharedDaemon } from './daemon.ts';

const TOOLS = [
  'close_session',
  'list_files',
  'list_sessions',
  'open_session',
  'read_file',
  'read_output',
  'read_screen',
  'resize_terminal',
  'run_command',
  'run_program',
  'send_signal',
  'write_file',
  'write_input',
];

const daemon = sharedDaemon();
const { workspace } = daemon;

describe('an MCP client lists tools, opens a session, runs, reads, closes', () => {
  test.each([
    ['2025-11-25', 'legacy'],
    ['2026-07-28', { pin: '2026-07-28' }],
  ] as const)('from the list of tools to the end of the session, in protocol %s', async (version, mode) => {
    const { client, call } = await connectMcp(workspace, { versionNegotiation: { mode } });
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(TOOLS);
    for (const tool of tools) {
      expect(tool.description!.length, tool.name).toBeGreaterThan(40);
      expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(tool.outputSchema).toMatchObject({ type: 'object' });
    }

    const { structured: session } = await call('open_session', { name: 'work' });
    expect(session).toMatchObject({ kind: 'shell', name: 'work', state: 'idle', streams: { stdout: { end: 0 } } });
    const { session_id } = session;
    await call('run_command', { session_id, command: 'mkdir deep; cd deep; export COLOUR=blue' });
    const ran = await call('run_command', {
      session_id,
      command: 'basename $PWD; echo $COLOUR; echo no >&2; (exit 7)',
    });
    expect(ran.structured).toMatchObject({
      exit_code: 7,
      timed_out: false,
      stdout: { text: 'deep\nblue\n', exact: true, omitted: null },
      stderr: { text: 'no\n' },
    });
    expect(ran.blocks).toEqual([expect.stringContaining('Exit code 7'), 'stdout:\ndeep\nblue\n', 'stderr:\nno\n']);

    const read = await call('read_output', { session_id, after: 5 });
    expect(read.structured).toMatchObject({ data: 'blue\n', from: 5, next: 10, more: false, state: 'idle' });
    expect(read.blocks[1]).toBe('blue\n');
    expect((await call('list_sessions')).structured.sessions).toMatchObject([{ session_id, state: 'idle' }]);
    expect((await call('close_session', { session_id })).structured).toMatchObject({ state: 'terminated' });
    expect((await call('list_sessions')).text).toBe('There are no sessions.');
  });

  test('a client drives a full-screen program: it sends keys, reads the screen, resizes it, and the program ends', async () => {
    const { call } = await connectMcp(workspace);
    const program = path.join(projectRoot, 'test/agents/pick-colour.mjs');
    const opened = await call('open_session', { kind: 'pty', argv: [process.execPath, program], cols: 40, rows: 10 });
    const { session_id } = opened.structured;
    const first = await call('read_screen', { session_id, wait_for: 'Enter picks', wait_ms: 20_000 });
    expect(first.structured).toEqual({
      lines: [
        'Pick a colour (40 x 10)',
        '',
        '> red',
        '  green',
        '  blue',
        '  äöü 日本',
        '',
        '',
        '',
        'arrows move, Enter picks',
      ],
      cursor: { row: 2, col: 0 },
      cols: 40,
      rows: 10,
      alternate: true,
      settled: true,
      state: 'running',
      end: null,
    });
    expect(first.blocks).toEqual([
      '40 columns and 10 rows, of a full-screen program. The cursor is at row 2, column 0, from 0. The session is running.',
      first.structured.lines.join('\n'),
    ]);

    await call('write_input', { session_id, data: '\x1b[B' });
    const moved = await call('read_screen', { session_id, wait_for: '> green', wait_ms: 20_000 });
    expect(moved.structured).toMatchObject({ cursor: { row: 3, col: 0 }, settled: true });
    expect(moved.structured.lines.slice(2, 4)).toEqual(['  red', '> green']);
    await call('resize_terminal', { session_id, cols: 60, rows: 12 });
    const wider = await call('read_screen', { session_id, wait_for: '(60 x 12)', wait_ms: 20_000 });
    expect(wider.structured).toMatchObject({ cols: 60, rows: 12, settled: true });
    const missed = await call('read_screen', { session_id, wait_for: 'no such colour', wait_ms: 1 });
    expect(missed.structured.settled).toBe(false);
    expect(missed.text).toContain('It does not show "no such colour".');

    await call('write_input', { session_id, data: '\r' });
    const left = await call('read_screen', { session_id, wait_for: 'picked green', wait_ms: 20_000 });
    expect(left.structured).toMatchObject({ alternate: false, settled: true });
    expect((await call('close_session', { session_id })).structured.state).toBe('terminated');
    expect((await call('read_screen', { session_id })).error.code).toBe('SESSION_NOT_FOUND');
  });

  test('two clients share the same sessions', async () => {
    const [one, other] = await Promise.all([connectMcp(workspace), connectMcp(workspace)]);
    const { session_id } = (await one.call('open_session')).structured;
    await one.call('run_command', { session_id, command: 'export COLOUR=blue' });
    const ran = await other.call('run_command', { session_id, command: 'echo $COLOUR' });
    expect(ran.structured.stdout.text).toBe('blue\n');
    expect((await one.call('read_output', { session_id })).structured.data).toBe('blue\n');
    await one.call('close_session', { session_id });
  });

  test('sessions and their commands keep running when the MCP server process is killed', async () => {
    const one = await connectMcp(workspace);
    const { session_id } = (await one.call('open_session')).structured;
    const cut = one.call('run_command', {
      session_id,
      command: 'echo begun; read line; echo got $line',
      stdin: 'session',
    });
    cut.catch(() => {});
    const watcher = daemon.client();
    await watcher.call('session.read', { session_id, wait_ms: 20_000 });
    process.kill(one.pid, 'SIGKILL');
    await until(() => !isRunning(one.pid), 'the server is gone');
    await expect(cut).rejects.toThrow();

    const next = await connectMcp(workspace);
    expect((await next.call('list_sessions')).structured.sessions).toMatchObject([{ session_id, state: 'running' }]);
    await next.call('write_input', { session_id, data: 'it\n' });
    const read = await next.call('read_output', { session_id, after: 6, wait_ms: 20_000 });
    expect(read.structured.data).toBe('got it\n');
  });

  test('a client that disconnects during a command does not end it, and its MCP server exits', async () => {
    const { client, call, pid } = await connectMcp(workspace);
    const { session_id } = (await call('open_session')).structured;
    call('run_command', { session_id, command: 'echo begun; read line', stdin: 'session' }).catch(() => {});
    const watcher = daemon.client();
    await watcher.call('session.read', { session_id, wait_ms: 20_000 });
    await client.close();
    await until(() => !isRunning(pid), 'the server has ended');
    expect(await watcher.call('session.info', { session_id })).toMatchObject({ state: 'running' });
  });
});
