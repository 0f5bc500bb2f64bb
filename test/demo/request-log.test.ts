import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ModelServer, startModelServer } from '../../src/demo/index.ts';
import { ask, chat, gemini, post, SHELL } from './clients.ts';

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(() => server.close());

const question = { messages: [{ role: 'user', text: 'do “it”\nnow' } as const], tools: [SHELL] };

test('requests can be read in the process and over HTTP', async () => {
  await ask(chat, `${server.url}/sc/tool:abc`, { ...question, stream: true });
  const [record] = server.requests();
  expect(record).toMatchObject({
    method: 'POST',
    path: '/sc/tool:abc/v1/chat/completions',
    scenario: 'tool',
    key: 'abc',
    protocol: 'openai-chat',
    model: 'any',
    streamed: true,
    side: false,
    tools: ['bash'],
    prompt: 'do “it”\nnow',
    outcome: 'tool:bash',
    status: 200,
    has_key: false,
    body: { model: 'any' },
  });
  const { body, ...rest } = record!;
  expect(await (await fetch(`${server.url}/__requests`)).json()).toEqual({ requests: [rest] });
  expect(await (await fetch(`${server.url}/__requests?bodies`)).json()).toEqual({ requests: [{ ...rest, body }] });
});

test('refusals, silence and unknown paths are recorded too', async () => {
  await post(`${server.url}/sc/e401/v1/chat/completions`, chat.body(question));
  await post(`${server.url}/sc/cut/v1/chat/completions`, chat.body(question));
  await post(`${server.url}/v1/chat/completions`, 'no json');
  await fetch(`${server.url}/elsewhere`);
  const body = JSON.stringify(chat.body(question));
  const leave = new AbortController();
  const url = `${server.url}/sc/hang/v1/chat/completions`;
  const hanging = expect(fetch(url, { method: 'POST', body, signal: leave.signal })).rejects.toThrow(/abort/);
  await expect.poll(() => server.requests().at(-1)!.outcome).toBe('silence');
  leave.abort();
  await hanging;
  expect(server.requests().map(({ outcome, status }) => [outcome, status])).toEqual([
    ['refused', 401],
    ['cut', 200],
    ['refused', 400],
    ['refused', 404],
    ['silence', null],
  ]);
});

test('a key is noted as present, but never stored', async () => {
  const secret = 'sk-very-secret';
  await post(server.url + chat.path(false), chat.body(question), { authorization: `Bearer ${secret}` });
  await post(server.url + chat.path(false), chat.body(question), { 'x-api-key': secret });
  await post(`${server.url}${gemini.path(false)}?key=${secret}`, gemini.body(question));
  expect(server.requests().map(({ has_key }) => has_key)).toEqual([true, true, true]);
  expect(await (await fetch(`${server.url}/__requests?bodies`)).text()).not.toContain(secret);
});

test('the last thousand requests are kept', async () => {
  for (let batch = 0; batch < 21; batch++) {
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => fetch(`${server.url}/sc/text:${batch * 50 + index}/v1/models`)),
    );
  }
  const kept = server.requests();
  expect(kept).toHaveLength(1000);
  expect(Number(kept[0]!.key)).toBeGreaterThanOrEqual(50);
});

test('large bodies displace older requests, so that memory is limited', async () => {
  const text = 'x'.repeat(20 * 1024 * 1024);
  for (let turn = 0; turn < 5; turn++) {
    await ask(chat, `${server.url}/sc/text:${turn}`, { messages: [{ role: 'user', text }] });
  }
  expect(server.requests().map(({ key }) => key)).toEqual(['2', '3', '4']);
});

test('a reset clears requests and refusals', async () => {
  const status = async () => (await post(`${server.url}/sc/r429/v1/chat/completions`, chat.body(question))).status;
  expect([await status(), await status()]).toEqual([429, 200]);
  expect(await (await post(`${server.url}/__reset`, '')).json()).toEqual({ ok: true });
  expect(server.requests()).toEqual([]);
  expect(await status()).toBe(429);
});
