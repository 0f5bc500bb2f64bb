import { once } from 'node:events';
import net from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { memoryDirector, someRun } from './support/memory-director.ts';
import { openStream } from './support/read-stream.ts';
import { type Served, sharedServe } from './support/serve.ts';

const director = memoryDirector();
const timeouts = { headersMs: 3000, requestMs: 3000, checkMs: 100, lingerMs: 1000 };
const served = sharedServe({ director, timeouts });

/** Sends the head, then one byte at a time until the connection is closed. */
function drip({ port }: Served, head: string): Promise<string> {
  const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.write(head);
  const dripping = setInterval(() => socket.write('x'), 10);
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes;
  });
  socket.on('error', () => {}); // The connection is reset during a write.
  return new Promise((resolve) => {
    socket.once('close', () => {
      clearInterval(dripping);
      resolve(text);
    });
  });
}

function head(method: string, path: string, headers: Record<string, string>): string {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `${[`${method} ${path} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`;
}

const LONG = { timeout: 60_000 };
const endless = { 'content-type': 'application/json', 'content-length': '1000000' };
const answered = (text: string) => text.match(/HTTP\/1\.1 \d+/g);

test.each([
  ['without a token', 401, () => head('POST', '/v1/runs', endless)],
  ['for another host', 403, () => head('POST', '/v1/runs', { ...endless, host: 'evil.example' })],
  ['to an unknown address', 404, () => head('POST', '/v1/nothing', endless)],
  ['of another type', 415, () => head('POST', '/v1/runs', { ...admin(), ...endless, 'content-type': 'text/plain' })],
  ['that is too large', 413, () => head('POST', '/v1/runs', { ...admin(), ...endless, 'content-length': '9000000' })],
])('closes the connection of a request %s whose body drips', async (_, status, words) => {
  const text = await drip(served, words());
  expect(answered(text)).toEqual([`HTTP/1.1 ${status}`]);
  expect(text).toMatch(/^connection: close\r$/im);
});

test('closes the connection of an answered request whose body drips', async () => {
  const text = await drip(served, head('GET', '/v1/health', endless));
  expect(answered(text)).toEqual(['HTTP/1.1 200']);
  expect(text).toContain('"status":"ok"');
});

test('closes a connection whose body does not arrive in time, even if the client keeps sending', async () => {
  const text = await drip(served, head('POST', '/v1/runs', { ...admin(), ...endless }));
  expect(answered(text)).toEqual(['HTTP/1.1 408']);
});

test('closes a connection whose headers do not arrive in time', async () => {
  const text = await drip(served, 'GET /v1/health HTTP/1.1\r\nx: ');
  expect(answered(text)).toEqual(['HTTP/1.1 408']);
});

test('closes a connection without requests', async () => {
  const socket = net.connect(served.port, '127.0.0.1');
  socket.resume();
  await once(socket, 'close');
});

test('reads the rest of a refused body, so that its sender gets the answer', async () => {
  const answer = await served.ask('/v1/runs', { method: 'POST', scope: null, body: 'x'.repeat(6 * 1024 * 1024) });
  expect(answer).toMatchObject({ status: 401, headers: { connection: 'close' }, json: { error: {} } });
});

test('keeps the connection of a refused request that has arrived completely', async () => {
  const socket = net.connect(served.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const refusal = head('POST', '/v1/runs', { 'content-type': 'application/json', 'content-length': '2' });
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes;
  });
  socket.write(`${refusal}{}`);
  await expect.poll(() => text, LONG).toContain('UNAUTHORIZED');
  socket.write(head('GET', '/v1/health', {}));
  await expect.poll(() => text, LONG).toContain('"status":"ok"');
  expect(answered(text)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 200']);
});

test('a stream stays open beyond the time limit of a request', async () => {
  const stream = await openStream(served, '/v1/stream');
  // All time limits of a request have expired by now.
  await drip(served, head('POST', '/v1/runs', { ...admin(), ...endless }));
  director.tell({ run: someRun({ status: 'succeeded' }) });
  await stream.frame(({ event }) => event === 'run_changed');
});

function admin(): Record<string, string> {
  return served.headersFor('admin');
}
