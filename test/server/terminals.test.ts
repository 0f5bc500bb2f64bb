import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createClient, type NewTerminal } from '../../src/client/index.ts';
import type { SseFrame } from '../../src/client/sse-parser.ts';
import type { TerminalFrame } from '../../src/protocol/index.ts';
import { seededRandom } from '../support/damage-lines.ts';
import { proofSize } from '../support/proof-size.ts';
import { temporaryFolder } from '../support/tacho.ts';
import { isRunning, until } from '../terminal/run-terminal.ts';
import { daemonWith } from './support/daemon-with.ts';
import { createRequests, type OpenApi } from './support/random-request.ts';
import { dataOf, openStream } from './support/read-stream.ts';
import { outputIn, serveTerminals, sharedTerminals, streamOf } from './support/serve-terminals.ts';

const PARTS = 10;
/** `seq 1 100000`, in ten parts with pauses. */
const IN_PARTS = 'for i in 0 1 2 3 4 5 6 7 8 9; do seq $((i * 10000 + 1)) $((i * 10000 + 10000)); sleep 0.03; done';
/** The same on both streams, one part per input line. */
const ON_REQUEST =
  'part() { seq $((i * 10000 + 1)) $((i * 10000 + 10000)); }; for i in 0 1 2 3 4 5 6 7 8 9; do read -r; part >&2 & part; wait; done';
const NUMBERS = Array.from({ length: 100_000 }, (_, index) => `${index + 1}\n`).join('');

const served = sharedTerminals();

const isClosed = ({ event }: SseFrame) => event === 'stream.closed';
const refused = (status: number, code: string) => ({ status, json: { error: { code, message: expect.any(String) } } });

describe('daemons are found', () => {
  test('of all workspaces; a killed or hanging daemon does not block the others', async () => {
    const { client, daemonOf } = await serveTerminals();
    expect(await client.terminals.list()).toEqual({ terminals: [], unreachable: [] });
    const [here, there] = [temporaryFolder(), temporaryFolder()];
    const build = await client.terminals.create({ workspace: here, name: 'build' });
    const other = await client.terminals.create({ workspace: there, kind: 'pty', argv: ['cat'] });
    expect(build).toMatchObject({ workspace: here, kind: 'shell', name: 'build', state: 'idle' });
    const ids = async () => (await client.terminals.list()).terminals.map(({ terminal_id }) => terminal_id);
    // A daemon has two seconds to answer; poll, because it may be slow once.
    await expect.poll(ids).toEqual([build.terminal_id, other.terminal_id]);

    process.kill(daemonOf(here), 'SIGSTOP');
    await expect
      .poll(() => client.terminals.list())
      .toEqual({
        terminals: [expect.objectContaining({ terminal_id: other.terminal_id })],
        unreachable: [{ workspace: here, message: expect.stringContaining('not answered') }],
      });
    process.kill(daemonOf(here), 'SIGCONT');
    await expect.poll(ids).toEqual([build.terminal_id, other.terminal_id]);

    const pid = daemonOf(here);
    process.kill(pid, 'SIGKILL');
    await until(() => !isRunning(pid), 'the daemon is gone');
    await expect
      .poll(() => client.terminals.list())
      .toEqual({
        terminals: [expect.objectContaining({ terminal_id: other.terminal_id })],
        unreachable: [],
      });
    await expect(client.terminals.get(build.terminal_id)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  test('when a command with this data folder opened a session, until they end', async () => {
    const { client, home } = await serveTerminals();
    const workspace = temporaryFolder();
    const daemon = daemonWith({ workspace, home });
    const { session_id } = await daemon.call('session.create', { name: 'from elsewhere' });
    const listed = async () => (await client.terminals.list()).terminals;
    await expect.poll(listed).toMatchObject([{ session_id, name: 'from elsewhere', workspace }]);
    const folder = path.join(home, 'runtimes');
    expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
    expect(fs.statSync(path.join(folder, fs.readdirSync(folder)[0]!)).mode & 0o777).toBe(0o600);
    await daemon.call('runtime.shutdown', {});
    await until(() => fs.readdirSync(folder).length === 0, 'the announcement is withdrawn');
    expect(await client.terminals.list()).toEqual({ terminals: [], unreachable: [] });
  });

  test('also when started for another data folder, once the server opens a terminal there', async () => {
    const { client } = await serveTerminals();
    const workspace = temporaryFolder();
    const daemon = daemonWith({ workspace, home: temporaryFolder() });
    await daemon.call('system.ping', {});
    expect((await client.terminals.list()).terminals).toEqual([]);
    const { terminal_id } = await client.terminals.create({ workspace });
    await expect.poll(async () => (await client.terminals.list()).terminals).toMatchObject([{ terminal_id }]);
    expect(await client.terminals.get(terminal_id)).toMatchObject({ terminal_id, workspace });
  });
});

describe('a session', () => {
  test('of kind pty is opened, followed, typed into, resized and ended', async () => {
    const { client, workspace } = served;
    const argv = ['bash', '--norc', '-c', 'echo ready; while read -r line; do echo "<$line>"; stty size; done'];
    const answer = await served.ask('/v1/terminals', { method: 'POST', body: { workspace, kind: 'pty', argv } });
    expect(answer).toMatchObject({ status: 201, headers: { location: `/v1/terminals/${answer.json.terminal_id}` } });
    const { terminal_id: id } = answer.json;

    const stream = await openStream(served, streamOf(answer.json));
    const opened = dataOf(await stream.frame(({ event }) => event === 'terminal.opened'));
    expect(opened).toMatchObject({ resume: 'ok', terminal: { terminal_id: id, cols: 80, rows: 24, attached: 1 } });
    await stream.frame(() => `${opened.snapshot}${outputIn(stream.frames)}`.includes('ready'));

    await client.terminals.resize(id, { cols: 100, rows: 30 });
    const isResized = ({ event, data }: SseFrame) => event === 'terminal.changed' && JSON.parse(data).cols === 100;
    expect(dataOf(await stream.frame(isResized))).toMatchObject({ cols: 100, rows: 30 });
    await client.terminals.input(id, 'grüße\r');
    await stream.frame(() => outputIn(stream.frames).includes('<grüße>\r\n30 100'));
    expect(await client.terminals.signal(id, 'SIGWINCH')).toEqual({ reached: expect.any(Number) });

    const ended = await client.terminals.kill(id);
    expect(ended).toMatchObject({ terminal_id: id, state: 'terminated', end: { reason: 'destroyed' } });
    await stream.ended;
    expect(dataOf(stream.frames.at(-2))).toMatchObject({ state: 'terminated', end: { reason: 'destroyed' } });
    expect(dataOf(stream.frames.at(-1))).toMatchObject({ reason: 'terminal' });
    expect(await served.ask(`/v1/terminals/${id}`)).toMatchObject(refused(404, 'SESSION_NOT_FOUND'));
  });

  test('of kind shell runs commands one after the other, and followers get both streams', async () => {
    const { client, workspace } = served;
    const shell = await client.terminals.create({ workspace });
    const id = shell.terminal_id;
    const stream = await openStream(served, streamOf(shell));
    await client.terminals.run(id, { command: 'cd / && read -r name', stdin: { data: 'value\n' } });
    const result = await client.terminals.run(id, { command: 'echo $PWD $name; echo oops >&2; false' });
    expect(result).toMatchObject({ exit_code: 1, stdout: { data: '/ value\n' }, stderr: { data: 'oops\n' } });
    await stream.frame(() => outputIn(stream.frames, 'stderr').includes('oops'));
    await stream.frame(() => outputIn(stream.frames).includes('/ value\n'));
    await stream.frame(({ event, data }) => event === 'terminal.changed' && JSON.parse(data).cwd === '/');

    // The process that prints "begun" is the one that is signaled.
    const slow = client.terminals.run(id, { command: "sh -c 'echo begun; exec sleep 300'" });
    await stream.frame(() => outputIn(stream.frames).includes('begun'));
    await stream.frame(({ event, data }) => event === 'terminal.changed' && JSON.parse(data).state === 'running');
    await expect(client.terminals.run(id, { command: 'true' })).rejects.toMatchObject({
      code: 'SESSION_BUSY',
      facts: { http_status: 409 },
    });
    expect(await client.terminals.signal(id, 'SIGTERM')).toEqual({ reached: 1 });
    expect(await slow).toMatchObject({ exit_code: 143, session_state: 'idle' });
    expect(await client.terminals.run(id, { command: 'sleep 30', timeout_ms: 50 })).toMatchObject({ timed_out: true });
    await client.terminals.run(id, { command: 'exit 7' });
    await expect(client.terminals.run(id, { command: 'true' })).rejects.toMatchObject({ code: 'SESSION_TERMINATED' });
    await stream.ended;
    expect(dataOf(stream.frames.at(-2))).toMatchObject({ state: 'terminated', closed: true, end: { exit_code: 7 } });
    expect(dataOf(stream.frames.at(-1))).toMatchObject({ reason: 'terminal' });
  });

  test('with invalid parameters is refused with the reason', async () => {
    const { ask, client, workspace } = served;
    const create = (body: object) => ask('/v1/terminals', { method: 'POST', body });
    expect(await create({ workspace: 'here' })).toMatchObject(refused(400, 'INVALID_REQUEST'));
    expect(await create({ workspace: '/no/such/folder' })).toMatchObject(refused(422, 'CWD_NOT_FOUND'));
    expect(await create({ workspace: '/proc' })).toMatchObject(refused(422, 'DATA_FOLDER_UNWRITABLE'));
    const nothing = { workspace, kind: 'exec', argv: ['no-such-program'] };
    expect(await create(nothing)).toMatchObject(refused(422, 'COMMAND_UNAVAILABLE'));
    const { terminal_id } = await client.terminals.create({ workspace });
    const act = (what: string, body: object) => ask(`/v1/terminals/${terminal_id}/${what}`, { method: 'POST', body });
    expect(await act('resize', { cols: 80, rows: 24 })).toMatchObject(refused(400, 'INVALID_PARAMS'));
    expect(await act('signal', { signal: 'SIGNOTHING' })).toMatchObject(refused(400, 'INVALID_PARAMS'));
    expect(await act('input', {})).toMatchObject(refused(400, 'INVALID_REQUEST'));
  });

  test('with an unknown id is 404, whatever the id looks like', async () => {
    const { ask, client } = served;
    const { terminal_id } = await client.terminals.create({ workspace: served.workspace });
    const [workspace] = terminal_id.split('.');
    const foreign = [
      'x',
      '..',
      `${workspace}`,
      `${workspace}.s-none`,
      `${workspace}.ssh:build-1`,
      `${'0'.repeat(16)}.s-1`,
    ];
    for (const id of [...foreign, `${workspace}.${'s'.repeat(201)}`, '%00', `..%2f${workspace}.s-1`]) {
      expect(await ask(`/v1/terminals/${id}/stream`), id).toMatchObject({ status: 404 });
      expect(await ask(`/v1/terminals/${id}/kill`, { method: 'POST' }), id).toMatchObject({ status: 404 });
    }
    const text = { method: 'POST', body: { text: 'x' } };
    expect(await ask(`/v1/terminals/${workspace}.s-none/input`, text)).toMatchObject(refused(404, 'SESSION_NOT_FOUND'));
  });

  test('gets random requests, and none causes an internal error', async () => {
    const { ask, client, log, workspace } = served;
    const kinds: Omit<NewTerminal, 'workspace'>[] = [
      {},
      { kind: 'pty', argv: ['cat'] },
      { kind: 'exec', argv: ['cat'] },
    ];
    const before = (await client.terminals.list()).terminals.map(({ terminal_id }) => terminal_id);
    const terminals = await Promise.all(kinds.map((kind) => client.terminals.create({ workspace, ...kind })));
    const document = (await ask('/v1/openapi.json')).json as OpenApi;
    // Without streams, which do not end; kill, which ends the session; and exec, which would run random commands.
    const paths = Object.entries(document.paths).filter(([address]) =>
      /terminals(?!.*(stream|kill|exec))/.test(address),
    );
    expect(paths).toHaveLength(5);
    const ids = terminals.map(({ terminal_id }) => terminal_id);
    const next = createRequests({ ...document, paths: Object.fromEntries(paths) }, { ids }, seededRandom(7));
    const statuses = new Set<number>();
    for (let n = 0; n < proofSize({ small: 150, full: 3000 }); n++) {
      const { method, path: address, body, headers } = next();
      const { status, text } = await ask(address, { method, headers, ...(body !== undefined && { body }) });
      expect(status, `${method} ${address} ${body}\n${text}`).toBeLessThan(500);
      statuses.add(status);
    }
    expect([...statuses]).toEqual(expect.arrayContaining([200, 204, 400, 404]));
    expect(log()).not.toContain('"level":50');
    const after = (await client.terminals.list()).terminals.map(({ terminal_id }) => terminal_id);
    expect(after.filter((id) => !before.includes(id)).sort()).toEqual(ids.sort());
  });

  test('is visible with scope read or reply, but cannot be changed', async () => {
    const { ask, client, workspace } = served;
    const { terminal_id } = await client.terminals.create({ workspace, kind: 'pty', argv: ['cat'] });
    const terminal = `/v1/terminals/${terminal_id}`;
    for (const scope of ['read', 'reply'] as const) {
      expect((await ask(terminal, { scope })).json).toMatchObject({ terminal_id });
      for (const [what, body] of Object.entries({
        input: { text: 'x' },
        resize: { cols: 1, rows: 1 },
        signal: { signal: 'SIGTERM' },
        exec: { command: 'id' },
        kill: undefined,
      })) {
        const answer = await ask(`${terminal}/${what}`, { method: 'POST', body, scope });
        expect(answer, `${scope} ${what}`).toMatchObject(refused(403, 'FORBIDDEN'));
      }
      const body = { workspace: temporaryFolder() };
      expect(await ask('/v1/terminals', { method: 'POST', body, scope })).toMatchObject(refused(403, 'FORBIDDEN'));
    }
    expect((await client.terminals.get(terminal_id)).state).toBe('running');
  });
});

describe('a stream', () => {
  test('resumes at Last-Event-ID over any number of connections, with no lost or duplicate bytes', async () => {
    const terminal = await served.client.terminals.create({
      workspace: served.workspace,
      kind: 'exec',
      argv: ['bash', '-c', ON_REQUEST],
    });
    const frames: SseFrame[] = [];
    let connections = 0;
    for (let last = ''; !frames.some(isClosed); last = frames.at(-1)!.id) {
      const headers: Record<string, string> = last === '' ? {} : { 'last-event-id': last };
      const stream = await openStream(served, streamOf(terminal), { headers });
      if (connections++ < PARTS) await served.client.terminals.input(terminal.terminal_id, '\n');
      // Disconnect at any point, also within a frame.
      await stream.frame((frame) => isClosed(frame) || frame.event === 'terminal.output');
      stream.hangUp();
      await stream.ended;
      frames.push(...stream.frames);
    }
    expect(connections).toBeGreaterThanOrEqual(PARTS);
    expect(outputIn(frames).equals(Buffer.from(NUMBERS))).toBe(true);
    expect(outputIn(frames, 'stderr').equals(Buffer.from(NUMBERS))).toBe(true);
    expect(frames.filter(({ event }) => event === 'terminal.opened').every(({ data }) => data.includes('"ok"'))).toBe(
      true,
    );
    expect(dataOf(frames.at(-1))).toMatchObject({ reason: 'terminal' });
  });

  test('of the client library continues after lost connections', async () => {
    const { terminals } = served.client;
    const { terminal_id } = await terminals.create({
      workspace: served.workspace,
      kind: 'pty',
      argv: ['bash', '-c', `stty -echo; echo ready; read -r; ${IN_PARTS}`],
    });
    await expect
      .poll(async () => (await terminals.get(terminal_id)).streams.stdout?.end)
      .toBe(Buffer.byteLength('ready\r\n'));
    const cuts = [3000, 10_000, 50_000, 100_000, 150_000];
    const client = createClient({
      url: await cuttingProxy(served.port, cuts),
      token: served.headersFor('read').authorization!.split(' ')[1]!,
      timing: { firstRetryMs: 1, lastRetryMs: 5 },
    });
    const frames: TerminalFrame[] = [];
    for await (const frame of client.terminals.follow(terminal_id)) {
      if (frames.push(frame) === 1) await terminals.input(terminal_id, '\n');
    }
    const opened = frames.filter(({ frame }) => frame === 'terminal.opened');
    expect(opened.length).toBeGreaterThan(cuts.length);
    expect(opened[0]!.data).toMatchObject({ resume: 'ok', snapshot: expect.stringContaining('ready') });
    for (const { data } of opened.slice(1)) expect(data).toMatchObject({ resume: 'ok', snapshot: null });
    const output = frames.flatMap(({ frame, data }) => (frame === 'terminal.output' ? [data] : []));
    const printed = Buffer.concat(output.map(({ data, encoding }) => Buffer.from(data, encoding)));
    expect(printed.equals(Buffer.from(NUMBERS.replaceAll('\n', '\r\n')))).toBe(true);
    // It may have ended while the client was disconnected; then the last connection starts with that state.
    const views = frames.flatMap(({ frame, data }) =>
      frame === 'terminal.changed' ? [data] : frame === 'terminal.opened' ? [data.terminal] : [],
    );
    expect(views.at(-1)).toMatchObject({ state: 'terminated', closed: true });
    const end = frames.findIndex(({ frame, data }) => frame === 'terminal.changed' && data.closed);
    expect(frames.slice(end + 1).filter(({ frame }) => end >= 0 && frame === 'terminal.output')).toEqual([]);
  });

  test('sends the gap, or a new snapshot of the screen, to a client that fell behind the buffer', async () => {
    const { workspace } = served;
    const create = (kind: 'exec' | 'pty', script: string) =>
      served.client.terminals.create({ workspace, kind, argv: ['bash', '-c', script], buffer_bytes: 4096 });
    const end = async (id: string) => (await served.client.terminals.get(id)).streams.stdout!.end;

    const exec = await create('exec', 'seq 1 10000; read -r');
    await expect.poll(() => end(exec.terminal_id)).toBe(48_894);
    const late = await openStream(served, `${streamOf(exec)}?cursor=5.0`);
    const gap = dataOf(await late.frame(({ event }) => event === 'terminal.gap'));
    expect(gap).toEqual({ stream: 'stdout', from: 5, to: 48_894 - 4096 });
    await late.frame(() => outputIn(late.frames).length === 4096);
    expect(outputIn(late.frames).toString()).toBe(NUMBERS.slice(48_894 - 4096, 48_894));

    const pty = await create('pty', 'seq 1 10000; read -r');
    await expect.poll(() => end(pty.terminal_id)).toBe(58_894);
    for (const cursor of ['5', '99999999', '1.1']) {
      const stream = await openStream(served, `${streamOf(pty)}?cursor=${cursor}`);
      const opened = dataOf(await stream.frame(({ event }) => event === 'terminal.opened'));
      expect(opened).toMatchObject({ resume: 'reset', cursors: { stdout: 58_894 } });
      expect(opened.snapshot, cursor).toContain('9999');
    }
    const strange = await openStream(served, streamOf(pty), { headers: { 'last-event-id': 'x' } });
    expect(dataOf(await strange.frame(() => true))).toMatchObject({ resume: 'reset' });
    expect((await served.ask(`${streamOf(pty)}?cursor=x`)).status).toBe(400);
  });

  test('buffers little for a client that does not read, which continues with what is still buffered', async () => {
    const bytes = proofSize({ small: 12_000_000, full: 200_000_000 });
    const create = (kind: 'exec' | 'pty') =>
      served.client.terminals.create({
        workspace: served.workspace,
        kind,
        argv: ['bash', '-c', `read -r; yes | head -c ${bytes}; echo the-end; read -r`],
      });
    for (const terminal of [await create('exec'), await create('pty')]) {
      const id = terminal.terminal_id;
      const stream = await openStream(served, streamOf(terminal));
      await stream.frame(({ event }) => event === 'terminal.opened');
      stream.response.pause();
      await served.client.terminals.input(id, '\n');
      const printed = async () => (await served.client.terminals.get(id)).streams.stdout!.end;
      // A terminal ends lines with two bytes.
      const all = terminal.kind === 'pty' ? bytes * 1.5 : bytes;
      await expect.poll(printed, { timeout: 110_000 }).toBeGreaterThan(all);
      stream.response.resume();
      const { event } = await stream.frame(
        ({ event, data }) => event === 'terminal.gap' || data.startsWith('{"resume":"reset"'),
      );
      expect(event).toBe(terminal.kind === 'pty' ? 'terminal.opened' : 'terminal.gap');
      // In the new snapshot, or in the output, where it may be split over two frames.
      await stream.frame(
        (frame) =>
          frame.data.includes('the-end') ||
          (frame === stream.frames.at(-1) && outputIn(stream.frames.slice(-2)).includes('the-end')),
      );
      expect(outputIn(stream.frames).length).toBeLessThan(bytes * 0.75);
      stream.hangUp();
    }
  });

  test('serves many clients at once, and keys still get through', async () => {
    const { terminals } = served.client;
    const many = proofSize({ small: 25, full: 100 });
    const terminal = await terminals.create({ workspace: served.workspace, kind: 'pty', argv: ['cat'] });
    const streams = await Promise.all(Array.from({ length: many }, () => openStream(served, streamOf(terminal))));
    await Promise.all(streams.map((stream) => stream.frame(({ event }) => event === 'terminal.opened')));
    expect((await terminals.get(terminal.terminal_id)).attached).toBe(many);
    await terminals.input(terminal.terminal_id, 'hello\r');
    await Promise.all(streams.map((stream) => stream.frame(() => outputIn(stream.frames).includes('hello\r\nhello'))));
    for (const stream of streams) stream.hangUp();
    await expect.poll(async () => (await terminals.get(terminal.terminal_id)).attached).toBe(0);
  });

  test('of a terminal with split streams starts at the position of its snapshot', async () => {
    const terminal = await served.client.terminals.create({
      workspace: served.workspace,
      kind: 'pty',
      split: true,
      argv: ['bash', '-c', 'echo early; echo trouble >&2; read -r; echo later; echo worse >&2; read -r'],
    });
    await expect
      .poll(async () => (await served.client.terminals.get(terminal.terminal_id)).streams)
      .toMatchObject({ stdout: { end: 6 }, stderr: { end: 8 } });
    const stream = await openStream(served, streamOf(terminal));
    const opened = await stream.frame(({ event }) => event === 'terminal.opened');
    expect(opened.id).toBe('6.8');
    // The order of the two streams is undefined.
    for (const word of ['early', 'trouble']) expect(dataOf(opened).snapshot).toContain(word);
    await served.client.terminals.input(terminal.terminal_id, '\r');
    await stream.frame(() => outputIn(stream.frames, 'stderr').toString() === 'worse\n');
    await stream.frame(() => outputIn(stream.frames).includes('later\n'));
  });

  test('ends with the server, even if its daemon hangs; the session keeps running, and another server finds it', async () => {
    const home = temporaryFolder();
    const workspace = temporaryFolder();
    const first = await serveTerminals(home);
    const terminal = await first.client.terminals.create({ workspace, kind: 'pty', argv: ['cat'] });
    const streams = [await openStream(first, streamOf(terminal)), await openStream(first, streamOf(terminal))];
    for (const stream of streams) await stream.frame(({ event }) => event === 'terminal.opened');
    await first.server.close();
    for (const { ended, frames } of streams) {
      await ended;
      expect(dataOf(frames.at(-1))).toMatchObject({ reason: 'shutdown' });
    }
    const second = await serveTerminals(home);
    const { terminal_id } = terminal;
    // The daemon notices the disconnected clients with a short delay.
    await expect.poll(() => second.client.terminals.get(terminal_id)).toMatchObject({ state: 'running', attached: 0 });
    const again = await openStream(second, streamOf(terminal), {
      headers: { 'last-event-id': streams[0]!.frames[0]!.id },
    });
    await second.client.terminals.input(terminal_id, 'still here\r');
    await again.frame(() => outputIn(again.frames).includes('still here'));
    expect(dataOf(again.frames[0])).toMatchObject({ resume: 'ok', snapshot: null });
    process.kill(second.daemonOf(workspace), 'SIGSTOP');
    await second.server.close();
    await again.ended;
    expect(dataOf(again.frames.at(-1))).toMatchObject({ reason: 'shutdown' });
  });

  test('ends with an error when its daemon is killed', async () => {
    const { workspace } = served;
    const terminal = await served.client.terminals.create({ workspace, kind: 'pty', argv: ['cat'] });
    const stream = await openStream(served, streamOf(terminal));
    await stream.frame(({ event }) => event === 'terminal.opened');
    process.kill(served.daemonOf(workspace), 'SIGKILL');
    await stream.ended;
    expect(dataOf(stream.frames.at(-1))).toMatchObject({ reason: 'error', error: { code: 'SERVER_UNREACHABLE' } });
  });
});

/** Forwards connections, and cuts the first ones after the given number of bytes of the response. */
async function cuttingProxy(port: number, cuts: readonly number[]): Promise<string> {
  const left = [...cuts];
  const proxy = net.createServer((socket) => {
    const server = net.connect(port, '127.0.0.1');
    const cut = left.shift() ?? Number.POSITIVE_INFINITY;
    let passed = 0;
    server.on('data', (bytes) => {
      socket.write(bytes.subarray(0, Math.max(0, cut - passed)));
      passed += bytes.length;
      if (passed >= cut) socket.destroySoon();
    });
    socket.pipe(server);
    for (const [one, other] of [
      [socket, server],
      [server, socket],
    ] as const) {
      one.on('error', () => {});
      one.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void proxy.close());
  return `http://127.0.0.1:${(proxy.address() as net.AddressInfo).port}`;
}
