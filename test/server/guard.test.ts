import http from 'node:http';
import os from 'node:os';
import { describe, expect, test } from 'vitest';
import type { TokenScope } from '../../src/protocol/index.ts';
import { memoryDirector, someRun } from './support/memory-director.ts';
import { type Served, serve } from './support/serve.ts';

const RUN = `/v1/runs/${someRun().run_id}`;
const TERMINAL = `/v1/terminals/${'0'.repeat(16)}.s-1`;
const ROUTES: readonly [scope: TokenScope, method: string, path: string][] = [
  ['read', 'GET', '/v1/runs'],
  ['read', 'GET', RUN],
  ['read', 'GET', `${RUN}/events`],
  ['read', 'GET', `${RUN}/events/stream`],
  ['read', 'GET', `${RUN}/conversation`],
  ['read', 'GET', `${RUN}/conversation/stream`],
  ['read', 'GET', `${RUN}/raw/stdout.1`],
  ['read', 'GET', `${RUN}/raw/stdout.1/search?q=a`],
  ['read', 'GET', `${RUN}/raw/stdout.1/lines`],
  ['read', 'GET', `${RUN}/timing/1`],
  ['read', 'GET', `${RUN}/attempts/1`],
  ['read', 'GET', `${RUN}/files`],
  ['read', 'GET', `${RUN}/files/content?sha=${'0'.repeat(64)}`],
  ['read', 'GET', `${RUN}/result`],
  ['read', 'GET', `${RUN}/artifacts/report%2Findex.md`],
  ['read', 'GET', `${RUN}/transcript`],
  ['read', 'GET', `${RUN}/bundle`],
  ['read', 'POST', `${RUN}/verify`],
  ['read', 'GET', `${RUN}/agent`],
  ['read', 'GET', `${RUN}/agent/prompt`],
  ['read', 'POST', `${RUN}/agent/replay`],
  ['read', 'GET', '/v1/approvals'],
  ['read', 'GET', '/v1/engines'],
  ['read', 'GET', '/v1/skills'],
  ['read', 'GET', '/v1/skills/some'],
  ['read', 'GET', '/v1/terminals'],
  ['read', 'GET', TERMINAL],
  ['read', 'GET', `${TERMINAL}/stream`],
  ['read', 'GET', '/v1/openapi.json'],
  ['read', 'GET', '/metrics'],
  ['reply', 'POST', `${RUN}/reply`],
  ['reply', 'POST', '/v1/approvals/some/decision'],
  ['admin', 'POST', '/v1/runs'],
  ['admin', 'DELETE', RUN],
  ['admin', 'POST', `${RUN}/cancel`],
  ['admin', 'POST', `${RUN}/agent/fork`],
  ['admin', 'POST', `${RUN}/input`],
  ['admin', 'POST', `${RUN}/resize`],
  ['admin', 'POST', '/v1/terminals'],
  ['admin', 'POST', `${TERMINAL}/input`],
  ['admin', 'POST', `${TERMINAL}/resize`],
  ['admin', 'POST', `${TERMINAL}/signal`],
  ['admin', 'POST', `${TERMINAL}/exec`],
  ['admin', 'POST', `${TERMINAL}/kill`],
];
const SCOPES = ['read', 'reply', 'admin'] as const;

/** The run does not exist: an allowed request gets 404 or 400, never 401 or 403. */
const served = () => {
  const director = memoryDirector();
  director.answer.list = { runs: [], next_cursor: null, total: 0 };
  director.answer.approvals = [];
  return serve({ director });
};

describe('tokens', () => {
  test('every route accepts its scope and higher ones, and refuses lower ones', async () => {
    const { ask } = await served();
    for (const [needed, method, path] of ROUTES) {
      for (const scope of SCOPES) {
        const { status, json } = await ask(path, { method, scope });
        const allowed = SCOPES.indexOf(scope) >= SCOPES.indexOf(needed);
        if (allowed) expect([401, 403], `${scope}: ${method} ${path}`).not.toContain(status);
        else expect({ status, json }, `${scope}: ${method} ${path}`).toMatchObject(refused(403, 'FORBIDDEN'));
      }
    }
  });

  test('without a token, or with a wrong one, every route but health returns 401', async () => {
    const { ask } = await served();
    for (const [, method, path] of ROUTES) {
      const answer = await ask(path, { method, scope: null });
      expect(answer, `${method} ${path}`).toMatchObject(refused(401, 'UNAUTHORIZED'));
      expect(answer.headers['www-authenticate']).toBe('Bearer');
    }
    for (const authorization of [
      'Bearer token-that-may-d',
      'Bearer ',
      'Basic YTpi',
      'token-that-may-do-all',
      'Bearer a b',
    ]) {
      const { status } = await ask('/v1/runs', { scope: null, headers: { authorization } });
      expect(status, authorization).toBe(401);
    }
    expect((await ask('/v1/health', { scope: null })).json).toEqual({ status: 'ok', version: '0.0.0-test' });
  });

  test('a request without a token is refused before its body is read', async () => {
    const { ask } = await served();
    const body = 'x'.repeat(2 * 1024 * 1024);
    expect(await ask('/v1/runs', { method: 'POST', body: body.slice(0, 100), scope: null })).toMatchObject(
      refused(401, 'UNAUTHORIZED'),
    );
  });

  test('no token, header or query reaches the log', async () => {
    const { ask, log } = await served();
    await ask('/v1/runs?q=hush-hush', { headers: { 'x-api-key': 'hush-hush' } });
    await ask('/v1/nothing?token=hush-hush', {});
    await ask('/v1/runs', { scope: null, headers: { authorization: 'Bearer hush-hush' } });
    await ask('/v1/runs', { method: 'POST', body: { prompt: 'hush-hush' } });
    expect(log()).toContain('"path":"/v1/runs"');
    expect(log()).not.toMatch(/hush-hush|token-that-may/);
  });
});

describe('hosts and origins', () => {
  test('accepts the names of this machine in the Host header, and refuses others', async () => {
    const server = await served();
    const { port, ask } = server;
    for (const host of ['127.0.0.1', `127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`]) {
      expect((await ask('/v1/health', { headers: { host } })).status, host).toBe(200);
    }
    const foreign = ['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example', 'localhost.', '127.0.0.1@evil'];
    for (const host of [...foreign, '127.0.0.1:80:80', '[::1', '10.0.0.1', 'a b']) {
      expect(await ask('/v1/health', { headers: { host } }), host).toMatchObject(refused(403, 'FORBIDDEN'));
      expect((await ask('/v1/nothing', { headers: { host } })).status, host).toBe(403);
    }
    expect(await withoutHost(server)).toMatch(/^HTTP\/1\.1 403 /);
  });

  test('accepts configured hosts, and any IP address when listening on all interfaces', async () => {
    const named = await serve({ director: memoryDirector(), allowedHosts: ['tacho.example'] });
    expect((await named.ask('/v1/health', { headers: { host: 'tacho.example' } })).status).toBe(200);
    const everywhere = await serve({ director: memoryDirector(), host: '0.0.0.0' });
    for (const host of ['192.168.7.9:7433', `${os.hostname()}:7433`, 'localhost']) {
      expect((await everywhere.ask('/v1/health', { headers: { host } })).status, host).toBe(200);
    }
    expect((await everywhere.ask('/v1/health', { headers: { host: 'evil.example' } })).status).toBe(403);
  });

  test('behind a proxy accepts the page of the public URL, with its own Host or that of the server', async () => {
    const publicUrl = 'https://tacho.example:8443';
    const { ask, port } = await serve({ director: memoryDirector(), publicUrl });
    for (const host of [`127.0.0.1:${port}`, 'tacho.example', 'tacho.example:8443']) {
      const answer = await ask('/v1/health', { headers: { host, origin: publicUrl } });
      expect(answer.status, host).toBe(200);
      expect(answer.headers['access-control-allow-origin'], host).toBeUndefined();
    }
    for (const origin of ['https://evil.example', 'http://tacho.example:8443', `${publicUrl}.evil.example`, 'null']) {
      const answer = await ask('/v1/health', { headers: { host: `127.0.0.1:${port}`, origin } });
      expect(answer, origin).toMatchObject(refused(403, 'FORBIDDEN'));
    }
    expect((await ask('/v1/health', { headers: { host: 'evil.example', origin: publicUrl } })).status).toBe(403);
  });

  test('refuses pages of other origins, whatever their token', async () => {
    const { ask, port } = await served();
    for (const origin of [`http://127.0.0.1:${port}`, `https://127.0.0.1:${port}`]) {
      expect((await ask('/v1/runs', { headers: { host: `127.0.0.1:${port}`, origin } })).status, origin).toBe(200);
    }
    const foreign = ['http://evil.example', 'null', `http://127.0.0.1:${port + 1}`, `http://localhost:${port}`, ''];
    for (const origin of foreign) {
      const answer = await ask('/v1/runs', { headers: { host: `127.0.0.1:${port}`, origin } });
      expect(answer, origin).toMatchObject(refused(403, 'FORBIDDEN'));
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    }
  });

  test('accepts a configured origin, including its preflight requests', async () => {
    const origin = 'http://127.0.0.1:5173';
    const director = memoryDirector();
    director.answer.list = { runs: [], next_cursor: null, total: 0 };
    const { ask } = await serve({ director, allowedOrigins: [origin] });
    const before = await ask('/v1/runs', { method: 'OPTIONS', scope: null, headers: { origin } });
    expect(before).toMatchObject({ status: 204, headers: { 'access-control-allow-origin': origin } });
    expect(before.headers['access-control-allow-headers']).toContain('authorization');
    const answer = await ask('/v1/runs', { headers: { origin } });
    expect(answer).toMatchObject({ status: 200, headers: { 'access-control-allow-origin': origin, vary: 'origin' } });
    expect((await ask('/v1/runs', { scope: null, headers: { origin } })).status).toBe(401);
  });
});

test('every response has a policy that forbids execution, errors and streams too', async () => {
  const { ask } = await served();
  for (const path of ['/v1/health', '/v1/nothing', '/v1/runs/%ff', '/v1/openapi.json']) {
    const { headers } = await ask(path);
    expect(headers, path).toMatchObject({
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
  }
});

test('a request keeps the id from its sender, or gets a new one', async () => {
  const { ask } = await served();
  const given = await ask('/v1/health', { headers: { 'x-request-id': 'page-17.4' } });
  expect(given.headers['x-request-id']).toBe('page-17.4');
  for (const id of ['', 'with space', 'x'.repeat(101), '<b>']) {
    const { headers } = await ask('/v1/health', { headers: { 'x-request-id': id } });
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  }
});

function refused(status: number, code: string) {
  return { status, json: { error: { code, message: expect.any(String) } } };
}

/** HTTP 1.0 does not require a Host header. */
function withoutHost({ port }: Served): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = new http.Agent().createConnection({ port, host: '127.0.0.1' }) as import('node:net').Socket;
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes.toString();
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
    socket.write('GET /v1/health HTTP/1.0\r\n\r\n');
  });
}
