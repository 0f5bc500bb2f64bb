import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ModelServer, startModelServer } from '../../src/demo/index.ts';
import { ask, CLIENTS, chat, post, SHELL } from './clients.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());

const messages = [{ role: 'user', text: 'go' } as const];

describe.each(CLIENTS)('$name', (client) => {
  test('a request with instructions but without tools is a side request and gets a title', async () => {
    for (const scenario of ['tool', 'many', 'cut', 'malformed', 'slow', 'long', 'empty']) {
      const question = { messages, system: 'You write titles.', stream: true };
      const { text, call } = await ask(client, `${server.url}/sc/${scenario}`, question);
      expect({ text, call }, scenario).toEqual({ text: 'Demo conversation', call: null });
    }
  });

  test('a schema for the answer is followed', async () => {
    const schema = {
      type: 'object',
      properties: { reasoning: { type: 'string' }, next_speaker: { type: 'string', enum: ['user', 'model'] } },
      required: ['reasoning', 'next_speaker'],
    };
    const { text } = await ask(client, `${server.url}/sc/tool`, { messages, schema });
    expect(JSON.parse(text)).toEqual({ reasoning: 'demo', next_speaker: 'user' });
  });

  test('a side request does not count for the refusals of r429', async () => {
    const base = `${server.url}/sc/r429:side-${encodeURIComponent(client.name)}`;
    await ask(client, base, { messages, system: 'You write titles.' });
    const task = client.body({ messages, system: 'You are an agent.', tools: [SHELL] });
    const statuses = [];
    for (let turn = 0; turn < 3; turn++) statuses.push((await post(base + client.path(false), task)).status);
    expect(statuses).toEqual([429, 200, 200]);
  });

  test('a failing server also fails for side requests', async () => {
    const body = client.body({ messages, system: 'You write titles.' });
    expect((await post(`${server.url}/sc/e500${client.path(false)}`, body)).status).toBe(500);
  });
});

test('a required tool is called, with the minimum that its schema accepts', async () => {
  const parameters = {
    type: 'object',
    properties: { score: { type: 'integer', minimum: 3 }, note: { type: 'string' } },
    required: ['score'],
  };
  const body = {
    ...chat.body({ messages, tools: [SHELL, { name: 'respond', schema: parameters }] }),
    tool_choice: { type: 'function', function: { name: 'respond' } },
  };
  const reply = await (await post(`${server.url}/sc/tool/v1/chat/completions`, body)).json();
  expect(chat.readDocument(reply as Record<string, unknown>).call).toEqual({
    name: 'respond',
    arguments: { score: 3 },
  });
});
