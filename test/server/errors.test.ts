import net from 'node:net';
import { expect, test } from 'vitest';
import { type ErrorCode, EXIT_CODES, errorAnswerSchema, TachoError } from '../../src/protocol/index.ts';
import { ERROR_STATUS } from '../../src/server/error-status.ts';
import { sandbox } from '../support/tacho.ts';
import { memoryDirector, someRun } from './support/memory-director.ts';
import { type Served, serve } from './support/serve.ts';

test('an error of the director keeps its code, message and facts, with the HTTP status of the code', async () => {
  const director = memoryDirector();
  const { ask } = await serve({ director });
  for (const code of Object.keys(EXIT_CODES) as ErrorCode[]) {
    director.answer.list = new TachoError(code, `because of ${code}`, { facts: { what: 7 }, fix: 'Do this.' });
    const { status, json } = await ask('/v1/runs');
    expect({ status, json }).toEqual({
      status: ERROR_STATUS[code],
      json: { error: { code, message: `because of ${code}`, fix: 'Do this.', details: { what: 7 } } },
    });
    expect(errorAnswerSchema.safeParse(json).success).toBe(true);
  }
});

test('a full queue returns a retry time', async () => {
  const director = memoryDirector();
  const { ask } = await serve({ director });
  const body = { command: ['true'] };
  director.answer.create = new TachoError('QUEUE_FULL', 'full', { facts: { retry_after_ms: 2500 } });
  expect(await ask('/v1/runs', { method: 'POST', body })).toMatchObject({
    status: 429,
    headers: { 'retry-after': '3' },
  });
  director.answer.create = new TachoError('QUEUE_FULL', 'full');
  expect(await ask('/v1/runs', { method: 'POST', body })).toMatchObject({
    status: 429,
    headers: { 'retry-after': '5' },
  });
});

test('running out of descriptors is a 503 with a retry time, wherever it happens', async () => {
  const director = memoryDirector();
  const { ask } = await serve({ director });
  const cause = Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
  for (const error of [cause, new TachoError('RUN_RECORD_CORRUPT', 'not readable', { cause })]) {
    director.answer.list = error;
    expect(await ask('/v1/runs')).toMatchObject({
      status: 503,
      headers: { 'retry-after': '5' },
      json: { error: { code: 'RESOURCE_PRESSURE', details: { errno: 'EMFILE' } } },
    });
  }
});

test('requests have a time limit, responses do not', async () => {
  const { server } = await serve({ director: memoryDirector() });
  const { requestTimeout, headersTimeout, timeout, maxConnections } = server.app.server;
  expect({ requestTimeout, headersTimeout, timeout }).toEqual({
    requestTimeout: 60_000,
    headersTimeout: 10_000,
    timeout: 0,
  });
  expect(maxConnections).toBeGreaterThan(0);
});

test('a bug is a 500 whose message stays in the log', async () => {
  const director = memoryDirector();
  director.answer.list = new Error('inner workings');
  const { ask, log } = await serve({ director });
  const answer = await ask('/v1/runs');
  expect(answer).toMatchObject({ status: 500, json: { error: { code: 'INTERNAL' } } });
  expect(answer.text).not.toContain('inner workings');
  expect(log()).toContain('inner workings');
});

test('invalid and malicious JSON is 400', async () => {
  const { ask } = await serve({ director: memoryDirector() });
  for (const body of [
    '{',
    'x',
    '{"command":["true"],}',
    '\u0000',
    '{"__proto__":{"a":1}}',
    '{"constructor":{"prototype":{}}}',
  ]) {
    expect(await ask('/v1/runs', { method: 'POST', body }), body).toMatchObject(refused(400, 'INVALID_REQUEST'));
  }
  for (const body of ['', 'null', '[]', '7', '"text"', '{}', '{"command":[]}', '{"command":["a\\u0000b"]}']) {
    expect(await ask('/v1/runs', { method: 'POST', body }), body).toMatchObject(refused(400, 'INVALID_REQUEST'));
  }
  const both = await ask('/v1/runs', { method: 'POST', body: { command: ['a'], engine: 'codex', prompt: 'b' } });
  expect(both.json.error).toMatchObject({ message: 'body: give either command, or engine and prompt' });
  const unknown = await ask('/v1/runs', { method: 'POST', body: { command: ['a'], limits: { timeout_ms: 'soon' } } });
  expect(unknown.json.error.details.issues).toEqual([{ path: '/limits/timeout_ms', message: expect.any(String) }]);
});

test('only JSON is accepted, because a form of another page can send other types', async () => {
  const director = memoryDirector();
  const { ask } = await serve({ director });
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'nonsense',
  ]) {
    const answer = await ask('/v1/runs', {
      method: 'POST',
      body: '{"command":["true"]}',
      headers: { 'content-type': type },
    });
    expect(answer, type).toMatchObject(refused(415, 'INVALID_REQUEST'));
  }
  expect(director.calls).toEqual([]);
});

test('a body over one mebibyte is 413, a smaller one is accepted', async () => {
  const director = memoryDirector();
  director.answer.create = someRun();
  const { ask } = await serve({ director });
  const large = await ask('/v1/runs', { method: 'POST', body: { command: ['x'.repeat(1024 * 1024)] } });
  expect(large).toMatchObject(refused(413, 'BODY_TOO_LARGE'));
  const almost = await ask('/v1/runs', { method: 'POST', body: { command: Array(8).fill('x'.repeat(125_000)) } });
  expect(almost.status).toBe(201);
});

test('unknown addresses, methods and parameters have different errors', async () => {
  const { ask } = await serve({ director: memoryDirector() });
  for (const path of ['/', '/v1', '/v1/', '/v2/runs', '/v1/runs/', '/v1/runs/a/b', '/favicon.ico', '//', '/v1/Runs']) {
    expect(await ask(path), path).toMatchObject({ status: 404, json: { error: { message: expect.any(String) } } });
  }
  for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    expect(await ask('/v1/runs', { method }), method).toMatchObject(refused(404, 'NOT_FOUND'));
  }
  for (const query of ['limit=0', 'limit=501', 'limit=x', 'limit=1&limit=2', 'status=gone', 'colour=red']) {
    expect(await ask(`/v1/runs?${query}`), query).toMatchObject(refused(400, 'INVALID_REQUEST'));
  }
  expect(await ask('/v1/%ff')).toMatchObject(refused(400, 'INVALID_REQUEST'));
});

test('a connection that does not speak HTTP is answered and closed, and the server keeps running', async () => {
  const served = await serve({ director: memoryDirector() });
  expect(await sendRaw(served, 'hello\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 .*"code":"INVALID_REQUEST"/s);
  expect(await sendRaw(served, `GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 431 /,
  );
  expect(await sendRaw(served, 'GET / HTTP/1.1\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
  expect((await served.ask('/v1/health')).status).toBe(200);
});

test('a run is addressed by its id or its handle, never by a path, a prefix or a word', async () => {
  const box = sandbox();
  const { run_id } = await box.jsonHere(['run', '--', 'true']);
  const { ask } = await serve({ home: box.home });
  for (const name of [run_id, run_id.slice(-8)]) {
    expect((await ask(`/v1/runs/${name}`)).json).toMatchObject({ run_id });
    expect((await ask(`/v1/runs/${name}/events`)).json.total).toBeGreaterThan(0);
  }
  const date = run_id.slice(0, 8);
  const folder = encodeURIComponent(`${box.home}/runs/${run_id}`);
  const names = ['last', '.', '..', '%2e%2e', `..%2f..%2fruns%2f${run_id}`, folder, date, run_id.slice(0, -1), 'a%00b'];
  for (const name of [...names, `${run_id}%0a`, run_id.toUpperCase(), '%F0%9F%92%A5']) {
    for (const rest of ['', '/events', '/events/stream', '/raw/stdout.1', '/bundle', '/result', '/files']) {
      const answer = await ask(`/v1/runs/${name}${rest}`);
      expect(answer.status, `${name}${rest}`).toBe(404);
      expect(errorAnswerSchema.safeParse(answer.json).success).toBe(true);
    }
    for (const act of ['cancel', 'verify']) {
      expect((await ask(`/v1/runs/${name}/${act}`, { method: 'POST' })).status, name).toBe(404);
    }
    expect((await ask(`/v1/runs/${name}`, { method: 'DELETE' })).status, name).toBe(404);
  }
});

function refused(status: number, code: string) {
  return { status, json: { error: { code, message: expect.any(String) } } };
}

function sendRaw({ port }: Served, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.on('data', (piece) => {
      text += piece.toString();
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
}
