import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ModelServer, startModelServer } from '../../src/demo/index.ts';
import { ask, CLIENTS, chat, parseEvents, post, SHELL } from './clients.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({ delayMs: 5 });
});
afterAll(() => server.close());

const question = { messages: [{ role: 'user', text: 'go' } as const], tools: [SHELL] };

describe.each(CLIENTS)('$name', (client) => {
  const send = (scenario: string, stream: boolean) =>
    post(`${server.url}/sc/${scenario}${client.path(stream)}`, client.body({ ...question, stream }));

  test.each([400, 401, 500])('e%i returns an error in the format of the protocol', async (status) => {
    for (const stream of [false, true]) {
      const response = await send(`e${status}`, stream);
      expect(response.status).toBe(status);
      expect(response.headers.get('content-type')).toContain('application/json');
      expect(client.errorMessage((await response.json()) as Record<string, unknown>)).toMatch(/^The demo model /);
    }
  });

  test('r429 refuses the first request of each key with a retry time', async () => {
    for (const key of ['one', 'two']) {
      const first = await send(`r429:${client.name.replace(' ', '-')}-${key}`, true);
      expect([first.status, first.headers.get('retry-after')]).toEqual([429, '1']);
      expect(client.errorMessage((await first.json()) as Record<string, unknown>)).toContain('too many requests');
      const next = await send(`r429:${client.name.replace(' ', '-')}-${key}`, true);
      expect(next.status).toBe(200);
    }
  });

  test('cut breaks the connection after a part of the reply', async () => {
    for (const stream of [false, true]) {
      const response = await send('cut', stream);
      expect(response.status).toBe(200);
      const { text, error } = await readAll(response);
      expect(text.length).toBeGreaterThan(20);
      expect(error).not.toBeNull();
    }
  });

  test('malformed is invalid JSON in wrong framing, and the connection ends normally', async () => {
    const { text, error } = await readAll(await send('malformed', true));
    expect(error).toBeNull();
    const blocks = text.split('\n\n').slice(0, -1);
    expect(blocks.at(-1)).toBe('no such field in any event');
    const [whole, broken] = [blocks.slice(0, -2), blocks.at(-2)!];
    expect(parseEvents(`${whole.join('\n\n')}\n\n`).length).toBeGreaterThan(1);
    expect(() => JSON.parse(broken.slice(broken.indexOf('data: ') + 6))).toThrow();
    const document = await readAll(await send('malformed', false));
    expect(document.error).toBeNull();
    expect(() => JSON.parse(document.text)).toThrow();
  });

  test('slow sends the whole reply, part by part', async () => {
    for (const stream of [false, true]) {
      const started = performance.now();
      const { text } = await ask(client, `${server.url}/sc/slow`, { ...question, stream });
      expect(performance.now() - started).toBeGreaterThan(20 * 5);
      expect(text.split('\n')).toHaveLength(20);
    }
  });

  test('hang never answers', async () => {
    const signal = AbortSignal.timeout(150);
    const body = JSON.stringify(client.body({ ...question, stream: true }));
    const url = `${server.url}/sc/hang${client.path(true)}`;
    await expect(fetch(url, { method: 'POST', body, signal })).rejects.toThrow(/timeout/i);
  });
});

test('a client that disconnects during a slow reply does not disturb the others', async () => {
  const leave = new AbortController();
  const response = await fetch(`${server.url}/sc/slow${chat.path(true)}`, {
    method: 'POST',
    body: JSON.stringify(chat.body({ ...question, stream: true })),
    signal: leave.signal,
  });
  await response.body!.getReader().read();
  leave.abort();
  expect((await ask(chat, `${server.url}/sc/done`, question)).text).toContain('__SKILL_DONE__');
});

test('a server with more refusals applies them to each key', async () => {
  const stubborn = await startModelServer({ scenario: 'r429', refusals: 3 });
  try {
    const statuses: number[] = [];
    for (let turn = 0; turn < 5; turn++) {
      statuses.push((await post(stubborn.url + chat.path(false), chat.body(question))).status);
    }
    expect(statuses).toEqual([429, 429, 429, 200, 200]);
  } finally {
    await stubborn.close();
  }
});

test('forty concurrent clients, each with its own key, each get one refusal', async () => {
  const keys = Array.from({ length: 40 }, (_, index) => createHash('sha256').update(`${index}`).digest('hex'));
  const seen = await Promise.all(
    keys.map(async (key) => {
      const statuses: number[] = [];
      for (let turn = 0; turn < 3; turn++) {
        statuses.push((await post(`${server.url}/sc/r429:${key}${chat.path(false)}`, chat.body(question))).status);
      }
      return statuses.join();
    }),
  );
  expect(new Set(seen)).toEqual(new Set(['429,200,200']));
});

async function readAll(response: Response): Promise<{ text: string; error: unknown }> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of response.body!) text += decoder.decode(chunk, { stream: true });
    return { text, error: null };
  } catch (error) {
    return { text, error };
  }
}
