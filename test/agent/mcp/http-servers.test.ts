import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { call, say } from '../../../src/agent/models/script.ts';
import { type McpServerOptions, mcpServer } from '../../../src/tools/mcp/index.ts';
import { carryOut, dataOf, type TestOptions, testAgent } from '../../support/agent.ts';
import { type HttpRequest, smallHttpServer } from './http-server.ts';

const ACT = 'mcp__web__act';
const TOKEN = 'sesame-4711-open';

async function run(options: Partial<McpServerOptions>, script: TestOptions['script']) {
  const source = mcpServer({ name: 'web', timeoutMs: 60_000, ...options });
  const { events, result } = await carryOut(testAgent({ toolSources: [source], script }));
  expect(result.status).toBe('completed');
  return {
    events,
    source: dataOf(events, 'run_started')[0]!.sources![0]!,
    results: dataOf(events, 'tool_call_finished').map(({ result: one }) => one),
  };
}

/** A server at another address that redirects to the first one. */
async function redirecting(to: string, status = 307) {
  const requests: Pick<HttpRequest, 'authorization'>[] = [];
  const server = http.createServer(({ headers }, response) => {
    requests.push({ authorization: headers.authorization });
    response.writeHead(status, { location: to }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, requests };
}

describe('a server over HTTP', () => {
  it('gets the token with every request, and is told when the session is over', async () => {
    const { url, requests, sessions } = await smallHttpServer({ token: TOKEN });
    const { results } = await run({ url, token: TOKEN }, [
      call(ACT, { n: 1 }),
      call(ACT, { do: 'stream' }),
      say('Done.'),
    ]);
    expect(results).toMatchObject([{ ok: true, stdout: 'act: {"n":1}' }, { ok: true }]);
    expect(requests.every(({ authorization }) => authorization === `Bearer ${TOKEN}`)).toBe(true);
    expect(requests.at(-1)).toMatchObject({ method: 'DELETE', session: 'session-1' });
    expect(sessions.size).toBe(0);
  });

  it('that refuses the token costs its tools, and the token appears nowhere', async () => {
    const { url } = await smallHttpServer({ token: 'another' });
    const { source, events } = await run({ url, token: TOKEN }, [say('Done.')]);
    expect(source).toMatchObject({ tools: [], problem: expect.stringContaining('not Bearer') });
    expect(JSON.stringify(events)).not.toContain(TOKEN);
  });

  it('that quotes the token in an error does not get it into the log', async () => {
    const { url } = await smallHttpServer({ token: TOKEN });
    const { results, events } = await run({ url, token: TOKEN }, [call(ACT, { do: 'echo' }), say('Done.')]);
    expect(results).toMatchObject([
      { ok: false, error_kind: 'unavailable', stderr: expect.stringContaining('what is Bearer') },
    ]);
    expect(JSON.stringify(events)).not.toContain(TOKEN);
  });

  it('at another host is not reached by a redirect, nor gets the token', async () => {
    const target = await smallHttpServer({ token: TOKEN });
    const { url, requests } = await redirecting(target.url);
    const { source } = await run({ url, token: TOKEN }, [say('Done.')]);
    expect(source).toMatchObject({ tools: [], problem: expect.stringContaining('Redirect') });
    expect(requests).toEqual([{ authorization: `Bearer ${TOKEN}` }]);
    expect(target.requests).toEqual([]);
  });

  it('that cannot be reached costs its tools only', async () => {
    const { source } = await run({ url: 'http://127.0.0.1:9/mcp' }, [say('Done.')]);
    expect(source.problem).toMatch(/ECONNREFUSED|bad port/);
  });

  it.each([
    ['does not answer', { do: 'hang' }, 'timeout'],
    ['forgets the session', { do: 'forget' }, 'unavailable'],
    ['hangs up', { do: 'hang up' }, 'unavailable'],
    ['answers with a body without end', { do: 'body' }, 'too_large'],
    ['answers with an event without end', { do: 'event' }, 'too_large'],
    ['sends notifications without end', { do: 'notifications' }, 'failed'],
    ['sends requests without end', { do: 'pings' }, 'failed'],
  ])('that %s costs one call', async (_, given, error_kind) => {
    const { url } = await smallHttpServer();
    const before = process.memoryUsage().rss;
    const { results } = await run({ url, timeoutMs: given.do === 'hang' ? 4000 : 60_000 }, [
      call(ACT, given),
      call(ACT, {}),
      say('Done.'),
    ]);
    expect(results).toMatchObject([
      { ok: false, error_kind },
      { ok: true, stdout: 'act: {}' },
    ]);
    expect(process.memoryUsage().rss - before).toBeLessThan(500 * 2 ** 20);
  });

  it('that ends its stream again and again is not asked for it without end', async () => {
    const closing = (response: http.ServerResponse) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('retry: 0\n\nid: 1\ndata:\n\n');
    };
    const { url, requests } = await smallHttpServer({ onGet: closing });
    await run({ url, timeoutMs: 4000 }, [call(ACT, { do: 'hang' }), say('Done.')]);
    expect(requests.filter(({ method }) => method === 'GET').length).toBeLessThan(10);
  });
});
