import { describe, expect, test } from 'vitest';
import { type Client, createClient } from '../../src/client/index.ts';
import type { RunView, TerminalView } from '../../src/protocol/index.ts';
import { fcmpMessage, meta, SHA256 } from '../protocol/samples.ts';
import { answerJson, collect, event, frameServer, refuse } from './frame-server.ts';

const RUN = '20261115T083000-text-3f2a9c1b';
const TIME = '2026-11-15T08:30:00.123Z';

const run: RunView = {
  run_id: RUN,
  handle: '3f2a9c1b',
  engine: 'text',
  status: 'running',
  mode: 'auto',
  attempt: 1,
  prompt: null,
  command: ['ls'],
  cwd: '/srv',
  session_id: null,
  created_at: TIME,
  updated_at: TIME,
  priority: 0,
  queue_position: null,
  question: null,
  last: null,
  usage: null,
  head_seq: 3,
};
const approval = {
  approval_id: 'a.1',
  run_id: RUN,
  summary: 'rm x',
  details: null,
  status: 'approved',
  requested_at: TIME,
  decided_at: TIME,
  reason: null,
} as const;
const diff = { format: 'tacho-fs-diff/1', created: [], modified: [], deleted: [], unreadable: [] } as const;
const line = { line: 3, byte_from: 10, byte_to: 20, text: 'x', truncated: false };
const search = { matches: [{ byte_from: 12, byte_to: 13, line }], next_from: null, size: 99 };
const timing = {
  first_ts: TIME,
  last_ts: null,
  bytes: { stdout: 9 },
  at: null,
  chunks: [],
  next_cursor: null,
  total: 0,
};
const reply = { run_id: RUN, interaction_id: '1.1', attempt: 2, accepted_at: TIME };
const verification = { verdict: 'intact', problems: [], checked: { events: 1 } };
const result = {
  run_id: RUN,
  status: 'succeeded',
  attempt: 1,
  message: null,
  structured_payload: null,
  skill: null,
  payload: null,
  payload_from: null,
  validity: { state: 'unchecked', violations: [] },
  artifacts: [],
  skipped_artifacts: [],
  repair_attempt: null,
  exit_code: 0,
  signal: null,
  completion: null,
  error: null,
  filesystem: null,
  usage: null,
  started_at: TIME,
  ended_at: TIME,
  duration_ms: 5,
};
const engine = {
  name: 'demo',
  title: 'Demo',
  installed: true,
  path: '/usr/bin/demo',
  managed: false,
  version: null,
  tested_versions: [],
  tested: true,
  capabilities: { resume: true },
  install: null,
};
const terminal: TerminalView = {
  terminal_id: '0123456789abcdef.ssh:build-1:s-1',
  workspace: '/srv',
  session_id: 'ssh:build-1:s-1',
  kind: 'pty',
  name: null,
  state: 'running',
  pid: 7,
  argv: ['bash'],
  cwd: '/srv',
  env_names: [],
  limits: {},
  sandbox: null,
  cols: 80,
  rows: 24,
  split: false,
  attached: 0,
  created_at: TIME,
  active_at: TIME,
  exec_id: null,
  recording: null,
  exited: false,
  closed: false,
  end: null,
  streams: { stdout: { start: 0, end: 3, closed: false } },
};
const TERMINAL = `/v1/terminals/${encodeURIComponent(terminal.terminal_id)}`;
const output = { data: '', encoding: 'utf8', from: 0, to: 0, omitted: null };
const command = {
  exec_id: 'x-1',
  session_id: 's-1',
  exit_code: 0,
  signal: null,
  timed_out: false,
  canceled: false,
  limit_exceeded: null,
  closed: true,
  duration_ms: 1.5,
  session_state: 'idle',
  run_id: null,
  stdout: output,
  stderr: output,
};
const events = { events: [event(1)], next_cursor: 1, total: 4 };
const messages = { events: [fcmpMessage('user.message')], next_cursor: null, total: 1 };

/** Each method, its request, the answer, and the result if it is not the answer itself. */
const ROUTES: readonly [string, (client: Client) => Promise<unknown>, string, unknown, unknown?, unknown?][] = [
  ['createRun', (c) => c.createRun({ command: ['ls'] }), 'POST /v1/runs', run, run, { command: ['ls'] }],
  [
    'listRuns',
    (c) => c.listRuns({ status: 'running', q: 'a b&c' }),
    'GET /v1/runs?status=running&q=a+b%26c',
    { runs: [run], next_cursor: 'x', total: 9 },
  ],
  ['getRun', (c) => c.getRun('3f2a9c1b'), 'GET /v1/runs/3f2a9c1b', run],
  ['getRun of an odd name', (c) => c.getRun('../a b?'), 'GET /v1/runs/..%2Fa%20b%3F', run],
  ['deleteRun', (c) => c.deleteRun('r'), 'DELETE /v1/runs/r', undefined],
  [
    'events',
    (c) => c.events('r', { from_seq: 2, limit: 5, deltas: true }),
    'GET /v1/runs/r/events?from_seq=2&limit=5&deltas=1',
    events,
  ],
  ['conversation', (c) => c.conversation('r', { cursor: 7 }), 'GET /v1/runs/r/conversation?cursor=7', messages],
  [
    'searchRaw',
    (c) => c.searchRaw('r', 'stdout', 2, { q: '+', ignore_case: true }),
    'GET /v1/runs/r/raw/stdout.2/search?q=%2B&ignore_case=1',
    search,
  ],
  [
    'lines',
    (c) => c.lines('r', 'pty', 1, { around: 500 }),
    'GET /v1/runs/r/raw/pty.1/lines?around=500',
    { lines: [line], size: 99 },
  ],
  [
    'timing',
    (c) => c.timing('r', 2, { stream: 'stdout', byte: 4 }),
    'GET /v1/runs/r/timing/2?stream=stdout&byte=4',
    timing,
  ],
  ['attempt', (c) => c.attempt('r', 2), 'GET /v1/runs/r/attempts/2', meta],
  ['files', (c) => c.files('r', { attempt: 2 }), 'GET /v1/runs/r/files?attempt=2', diff],
  ['result', (c) => c.result('r'), 'GET /v1/runs/r/result', result],
  ['verify', (c) => c.verify('r'), 'POST /v1/runs/r/verify', verification],
  [
    'reply',
    (c) => c.reply('r', { interaction_id: '1.1', text: 'blue' }),
    'POST /v1/runs/r/reply',
    reply,
    reply,
    { interaction_id: '1.1', text: 'blue' },
  ],
  ['cancel', (c) => c.cancel('r'), 'POST /v1/runs/r/cancel', run],
  ['input', (c) => c.input('r', 'é\u0003'), 'POST /v1/runs/r/input', undefined, undefined, { base64: 'w6kD' }],
  [
    'resize',
    (c) => c.resize('r', { cols: 80, rows: 24 }),
    'POST /v1/runs/r/resize',
    undefined,
    undefined,
    { cols: 80, rows: 24 },
  ],
  [
    'approvals',
    (c) => c.approvals({ status: 'pending' }),
    'GET /v1/approvals?status=pending',
    { approvals: [approval] },
    [approval],
  ],
  [
    'decide',
    (c) => c.decide('a.1', { decision: 'approved' }),
    'POST /v1/approvals/a.1/decision',
    approval,
    approval,
    { decision: 'approved' },
  ],
  [
    'terminals.list',
    (c) => c.terminals.list(),
    'GET /v1/terminals',
    { terminals: [terminal], unreachable: [{ workspace: '/a', message: 'gone' }] },
  ],
  [
    'terminals.create',
    (c) => c.terminals.create({ workspace: '/srv', kind: 'pty' }),
    'POST /v1/terminals',
    terminal,
    terminal,
    { workspace: '/srv', kind: 'pty' },
  ],
  ['terminals.get', (c) => c.terminals.get(terminal.terminal_id), `GET ${TERMINAL}`, terminal],
  [
    'terminals.input',
    (c) => c.terminals.input(terminal.terminal_id, new Uint8Array([0xff, 3])),
    `POST ${TERMINAL}/input`,
    undefined,
    undefined,
    { base64: '/wM=' },
  ],
  [
    'terminals.resize',
    (c) => c.terminals.resize(terminal.terminal_id, { cols: 80, rows: 24 }),
    `POST ${TERMINAL}/resize`,
    undefined,
    undefined,
    { cols: 80, rows: 24 },
  ],
  [
    'terminals.signal',
    (c) => c.terminals.signal(terminal.terminal_id, 'SIGINT'),
    `POST ${TERMINAL}/signal`,
    { reached: 2 },
    { reached: 2 },
    { signal: 'SIGINT' },
  ],
  [
    'terminals.run',
    (c) => c.terminals.run(terminal.terminal_id, { command: 'ls' }),
    `POST ${TERMINAL}/exec`,
    command,
    command,
    { command: 'ls' },
  ],
  ['terminals.kill', (c) => c.terminals.kill(terminal.terminal_id), `POST ${TERMINAL}/kill`, terminal],
  ['engines', (c) => c.engines(), 'GET /v1/engines', { engines: [engine] }, [engine]],
  ['health', (c) => c.health(), 'GET /v1/health', { status: 'ok', version: '0.1.0' }],
];

describe('every route has a method', () => {
  test.each(ROUTES)('%s', async (_, call, asked, answered, got = answered, sent = undefined) => {
    const server = await frameServer((_, response) => {
      if (answered === undefined) response.writeHead(204).end();
      else answerJson(response, answered);
    });
    expect(await call(createClient({ url: server.url, token: 'secret' }))).toEqual(got);
    const [request] = server.seen;
    const query = new URLSearchParams(request!.query).toString();
    expect(`${request!.method} ${request!.path}${query && '?'}${query}`).toBe(asked);
    expect(request!.headers.authorization).toBe('Bearer secret');
    expect(request!.body === '' ? undefined : JSON.parse(request!.body)).toEqual(sent);
  });

  test('fields added by a newer server are kept at every level', async () => {
    const newer = { ...result, completion: null, filesystem: null, mood: 'good' };
    const page = { runs: [{ ...run, mood: 'good' }], next_cursor: null, total: 1, mood: 'good' };
    const newerStream = { start: 0, end: 3, closed: false, mood: 'good' };
    const newerTerminal = { ...terminal, streams: { stdout: newerStream }, mood: 'good' };
    const answers = [newer, page, newerTerminal];
    const server = await frameServer((_, response) => answerJson(response, answers.shift()));
    const client = createClient({ url: server.url, token: 'secret' });
    expect(await client.result(RUN)).toEqual(newer);
    expect(await client.listRuns()).toEqual(page);
    expect(await client.terminals.get('t')).toEqual(newerTerminal);
  });

  test('input longer than the server accepts is sent in several parts, in order', async () => {
    const server = await frameServer((_, response) => void response.writeHead(204).end());
    const typed = 'é'.repeat(100_000);
    await createClient({ url: server.url, token: 't' }).terminals.input(terminal.terminal_id, typed);
    expect(server.seen).toHaveLength(4);
    const parts = server.seen.map(({ body }) => Buffer.from(JSON.parse(body).base64, 'base64'));
    expect(Buffer.concat(parts).toString()).toBe(typed);
  });

  test('runs of all pages are returned one after the other, and pages are requested on demand', async () => {
    const server = await frameServer(({ query }, response) => {
      const page = Number(query.cursor ?? 0);
      const runs = [0, 1].map((index) => ({ ...run, head_seq: page * 2 + index }));
      answerJson(response, { runs, next_cursor: page === 2 ? null : String(page + 1), total: 6 });
    });
    const client = createClient({ url: server.url, token: 't' });
    const heads = (await collect(client.eachRun({ engine: 'text' }))).map(({ head_seq }) => head_seq);
    expect(heads).toEqual([0, 1, 2, 3, 4, 5]);
    expect(server.seen.map(({ query }) => query)).toEqual([
      { engine: 'text' },
      { engine: 'text', cursor: '1' },
      { engine: 'text', cursor: '2' },
    ]);
    for await (const _ of client.eachRun()) break;
    expect(server.seen).toHaveLength(4);
  });

  test('a server may be below a path', async () => {
    const server = await frameServer((_, response) => answerJson(response, run));
    await createClient({ url: `${server.url}/tacho`, token: 't' }).getRun('r');
    await createClient({ url: `${server.url}/tacho/`, token: 't' }).getRun('r');
    expect(server.seen.map(({ path }) => path)).toEqual(['/tacho/v1/runs/r', '/tacho/v1/runs/r']);
  });

  test('the list of runs can be followed', async () => {
    const removed = { run_id: RUN };
    const server = await frameServer((_, response, count) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const opened = 'event: stream.opened\ndata: {"resume":"reset","from_seq":1,"head_seq":0}\n\n';
      response.write(`${opened}event: run_changed\ndata: ${JSON.stringify({ ...run, head_seq: count })}\n\n`);
      if (count === 1) response.end('event: stream.closed\ndata: {"reason":"shutdown","last_seq":0}\n\n');
      else response.write(`event: run_removed\ndata: ${JSON.stringify(removed)}\n\n`);
    });
    const client = createClient({ url: server.url, token: 't', timing: { firstRetryMs: 1 } });
    const received: unknown[] = [];
    for await (const change of client.followRuns({ onOpened: () => void received.push('opened') })) {
      received.push('run' in change ? change.run.head_seq : change);
      if (received.length === 5) break;
    }
    expect(received).toEqual(['opened', 1, 'opened', 2, { removed: RUN }]);
    expect(server.seen[0]!.path).toBe('/v1/stream');
  });
});

describe('bytes', () => {
  const all = Buffer.from('0123456789abcdef');
  const bytesServer = ({ ranges = true } = {}) =>
    frameServer(({ headers }, response) => {
      const match = ranges ? /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') : null;
      if (!match) return void response.writeHead(200).end(all);
      const from = Number(match[1]);
      if (from >= all.length) return refuse(response, 416, 'INVALID_REQUEST', { details: { size: all.length } });
      const part = all.subarray(from, match[2] === '' ? undefined : Number(match[2]) + 1);
      response.writeHead(206, { 'content-range': `bytes ${from}-${from + part.length - 1}/${all.length}` }).end(part);
    });

  test.each([true, false])(
    'of a window are returned, whether the server supports ranges (%s) or not',
    async (ranges) => {
      const server = await bytesServer({ ranges });
      const client = createClient({ url: server.url, token: 't' });
      const text = async (window?: { from?: number; to?: number }) =>
        Buffer.from(await client.raw('r', 'stderr', 1, window)).toString();
      expect(await text()).toBe(all.toString());
      expect(await text({ from: 4, to: 8 })).toBe('4567');
      expect(await text({ from: 12 })).toBe('cdef');
      expect(await text({ to: 3 })).toBe('012');
      expect(await text({ from: 14, to: 99 })).toBe('ef');
      expect(server.seen[1]).toMatchObject({ path: '/v1/runs/r/raw/stderr.1', headers: { range: 'bytes=4-7' } });
    },
  );

  test('can be counted', async () => {
    const client = createClient({ url: (await bytesServer()).url, token: 't' });
    expect(await client.rawPart('r', 'stdout', 1, { from: 2, to: 4 })).toEqual({
      bytes: new Uint8Array(Buffer.from('23')),
      from: 2,
      total: 16,
    });
  });

  test('after the end of a stream are empty, and an empty window needs no request', async () => {
    const server = await bytesServer();
    const client = createClient({ url: server.url, token: 't' });
    expect(await client.rawPart('r', 'stdout', 1, { from: 16 })).toMatchObject({ bytes: new Uint8Array(0), total: 16 });
    expect(await client.raw('r', 'stdout', 1, { from: 5, to: 5 })).toEqual(new Uint8Array(0));
    expect(server.seen).toHaveLength(1);
  });

  test('of a file and of the whole record are unchanged', async () => {
    const server = await frameServer((_, response) => void response.writeHead(200).end(all));
    const client = createClient({ url: server.url, token: 't' });
    expect(Buffer.from(await client.fileContent('r', SHA256))).toEqual(all);
    expect(await client.transcript('r', { attempt: 2 })).toBe(new TextDecoder().decode(all));
    const pieces: Uint8Array[] = [];
    for await (const piece of await client.bundle('r')) pieces.push(piece);
    expect(Buffer.concat(pieces)).toEqual(all);
    expect(server.seen.map(({ path }) => path)).toEqual([
      '/v1/runs/r/files/content',
      '/v1/runs/r/transcript',
      '/v1/runs/r/bundle',
    ]);
  });
});
