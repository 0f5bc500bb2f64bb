import { expect, test } from 'vitest';
import { startModelServer } from '../../src/demo/index.ts';
import { chat } from './clients.ts';

test('a port in use is refused with a remedy', async () => {
  const first = await startModelServer();
  try {
    await expect(startModelServer({ port: first.port })).rejects.toMatchObject({
      code: 'PORT_UNAVAILABLE',
      message: `port ${first.port} of 127.0.0.1 is already in use`,
      fix: expect.stringContaining('--port 0'),
      facts: { host: '127.0.0.1', port: first.port, reason: 'EADDRINUSE' },
    });
  } finally {
    await first.close();
  }
});

test('an address of another machine is refused', async () => {
  await expect(startModelServer({ host: '192.0.2.1' })).rejects.toMatchObject({
    code: 'PORT_UNAVAILABLE',
    fix: expect.stringContaining('--host'),
  });
});

test('an unknown scenario is refused with the known ones', async () => {
  await expect(startModelServer({ scenario: 'nonsense' })).rejects.toMatchObject({
    code: 'USAGE',
    fix: expect.stringContaining('text, tool'),
  });
});

test('the server listens only on loopback by default, and its URL is always usable', async () => {
  const usual = await startModelServer({ scenario: 'ask' });
  const everywhere = await startModelServer({ host: '0.0.0.0' });
  try {
    expect(usual.url).toBe(`http://127.0.0.1:${usual.port}`);
    expect(everywhere.url).toBe(`http://127.0.0.1:${everywhere.port}`);
    expect(await (await fetch(`${usual.url}/__health`)).json()).toEqual({ ok: true, scenario: 'ask', requests: 0 });
    expect(await (await fetch(usual.url)).json()).toMatchObject({ scenario: 'ask' });
    expect((await fetch(`${everywhere.url}/__health`)).status).toBe(200);
  } finally {
    await Promise.all([usual.close(), everywhere.close()]);
  }
});

test('closing ends pending requests and frees the port', async () => {
  const server = await startModelServer();
  const body = JSON.stringify(chat.body({ messages: [{ role: 'user', text: 'go' }] }));
  const hanging = fetch(`${server.url}/sc/hang/v1/chat/completions`, { method: 'POST', body });
  const slow = await fetch(`${server.url}/sc/slow/v1/chat/completions`, { method: 'POST', body });
  const refused = expect(hanging).rejects.toThrow('fetch failed');
  const cut = expect(slow.text()).rejects.toThrow();
  await server.close();
  await Promise.all([refused, cut]);
  const next = await startModelServer({ port: server.port });
  await next.close();
  await next.close();
});
