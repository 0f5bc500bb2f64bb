import net from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ModelServer, startModelServer } from '../../src/demo/index.ts';
import { ask, CLIENTS, chat, post } from './clients.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());

describe.each(CLIENTS)('$name', (client) => {
  const send = async (body: string, headers: Record<string, string> = {}) => {
    const response = await post(server.url + client.path(false), body, headers);
    const message = client.errorMessage((await response.json()) as Record<string, unknown>);
    return [response.status, message];
  };

  test('a body that is not a JSON object is refused with the reason', async () => {
    expect(await send('')).toEqual([400, 'The body is empty; a JSON object is expected.']);
    expect(await send('{"messages": [')).toEqual([400, expect.stringContaining('The body is not JSON: ')]);
    expect(await send('[1]')).toEqual([400, 'The body is JSON, but not an object.']);
    expect(await send('null')).toEqual([400, 'The body is JSON, but not an object.']);
  });

  test('a body without a conversation is refused', async () => {
    expect(await send('{}')).toEqual([400, expect.stringContaining('at least one')]);
    for (const odd of ['"text"', '5', 'null', '[]', '[null, 3]', '{"a": 1}']) {
      const [status] = await send(
        `{"messages": ${odd}, "contents": ${odd}, "input": ${odd === '"text"' ? '[]' : odd}}`,
      );
      expect(status, odd).toBe(400);
    }
  });

  test('fields of unexpected types are ignored', async () => {
    const messages = [{ role: 'user', content: [null, 4, { text: 7 }, { type: 'image' }], parts: [null, { text: 3 }] }];
    const body = { messages, contents: messages, input: messages, tools: [null, 'x', { function: 4 }], system: 9 };
    const response = await post(`${server.url}/sc/tool${client.path(false)}`, {
      ...body,
      generationConfig: 1,
      text: 2,
      thinking: 3,
    });
    expect(response.status).toBe(200);
  });

  test('an encoded body is refused', async () => {
    expect(await send('x', { 'content-encoding': 'gzip' })).toEqual([415, expect.stringContaining('gzip')]);
  });

  test('a GET instead of a POST gets an explanation', async () => {
    const response = await fetch(server.url + client.path(false));
    expect(response.status).toBe(405);
    const message = client.errorMessage((await response.json()) as Record<string, unknown>);
    expect(message).toContain('takes POST, not GET');
  });

  test('an unknown scenario is answered with the known ones', async () => {
    const response = await post(`${server.url}/sc/nonsense${client.path(false)}`, {});
    expect(response.status).toBe(404);
    const message = client.errorMessage((await response.json()) as Record<string, unknown>);
    expect(message).toMatch(/no scenario 'nonsense'. Known: text, tool/);
  });
});

test('bytes that are not UTF-8 are refused', async () => {
  const body = Buffer.concat([
    Buffer.from('{"messages":[{"role":"user","content":"'),
    Buffer.of(0xff),
    Buffer.from('"}]}'),
  ]);
  const response = await fetch(server.url + chat.path(false), { method: 'POST', body });
  expect(response.status).toBe(400);
});

test('an unknown path is answered with the known ones', async () => {
  for (const path of ['/nothing', '/sc', '/sc/', '/sc/%', '/sc/:', '/%zz', '/v1/chat/completions/x']) {
    const response = await fetch(server.url + path);
    expect(response.status, path).toBe(404);
    expect(response.headers.get('content-type')).toContain('application/json');
  }
  const { error } = (await (await fetch(`${server.url}/nothing`)).json()) as { error: { message: string } };
  expect(error.message).toMatch(/nothing at \/nothing. Known: \/v1\/chat\/completions/);
});

test('a body of more than 32 MB is refused, announced or not, and the server keeps running', async () => {
  const huge = Buffer.alloc(33 * 1024 * 1024, 'x');
  const announced = await fetch(server.url + chat.path(false), { method: 'POST', body: huge });
  expect(announced.status).toBe(413);
  expect(await announced.json()).toMatchObject({ error: { message: 'The body is larger than 32 MB.' } });
  const unannounced = await fetch(server.url + chat.path(false), {
    method: 'POST',
    body: new Blob([huge]).stream(),
    duplex: 'half',
  } as RequestInit);
  expect(unannounced.status).toBe(413);
  expect((await ask(chat, server.url, { messages: [{ role: 'user', text: 'go' }] })).text).toContain('demo model');
});

test('JSON with a hundred thousand levels is harmless', async () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const response = await post(server.url + chat.path(false), `{"messages": [{"role": "user", "content": ${deep}}]}`);
  expect(response.status).toBeLessThan(500);
  expect((await fetch(`${server.url}/__requests`)).status).toBe(200);
  expect((await fetch(`${server.url}/__requests?bodies`)).headers.get('content-type')).toContain('application/json');
  expect((await fetch(`${server.url}/__health`)).status).toBe(200);
});

test('a client that disconnects within its body, or does not speak HTTP, is harmless', async () => {
  for (const bytes of [
    'POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{"mess',
    'nonsense\r\n\r\n',
    '\0',
  ]) {
    await new Promise<void>((resolve) => {
      const socket = net.connect(server.port, '127.0.0.1', () => socket.end(bytes));
      socket.resume();
      socket.once('close', () => resolve());
    });
  }
  expect((await fetch(`${server.url}/__health`)).status).toBe(200);
});
