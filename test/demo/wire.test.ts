import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ModelServer, startModelServer } from '../../src/demo/index.ts';
import { anthropic, ask, CLIENTS, chat, gemini, parseEvents, post, responses, SHELL } from './clients.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());

const question = { messages: [{ role: 'user', text: 'go' } as const], tools: [SHELL] };
const eventNames = async (response: Response) => parseEvents(await response.text()).map(({ event }) => event);

test('each protocol has its own stop reasons for tools and for texts', async () => {
  const finishes = async (scenario: string, stream: boolean) =>
    Promise.all(
      CLIENTS.map(async (client) => {
        const { finish } = await ask(client, `${server.url}/sc/${scenario}`, { ...question, stream });
        return finish;
      }),
    );
  for (const stream of [false, true]) {
    expect(await finishes('text', stream)).toEqual(['stop', 'completed', 'STOP', 'end_turn']);
    expect(await finishes('tool', stream)).toEqual(['tool_calls', 'completed', 'STOP', 'tool_use']);
  }
});

test('every protocol has the usage, the same streamed or not', async () => {
  const usages = (stream: boolean) =>
    Promise.all(CLIENTS.map(async (client) => (await ask(client, server.url, { ...question, stream })).usage));
  const whole = await usages(false);
  expect(whole).toMatchObject([
    { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
    { input_tokens: 100, output_tokens: 20, total_tokens: 120 },
    { promptTokenCount: 100, candidatesTokenCount: 20, thoughtsTokenCount: 5, totalTokenCount: 125 },
    { input_tokens: 100, output_tokens: 20 },
  ]);
  expect(await usages(true)).toEqual(whole);
});

test('cached input is billed as each service reports it, and the log says what was billed', async () => {
  const calls = CLIENTS.map(async (client, at) => {
    const url = `${server.url}/sc/cached:bill-${at}`;
    const first = await ask(client, url, { ...question, stream: false });
    const second = await ask(client, url, { ...question, stream: true });
    return [first.usage, second.usage];
  });
  expect(await Promise.all(calls)).toMatchObject([
    [
      {
        prompt_tokens: 1101,
        completion_tokens: 21,
        total_tokens: 1122,
        prompt_tokens_details: { cached_tokens: 1000 },
      },
      {
        prompt_tokens: 2102,
        completion_tokens: 22,
        total_tokens: 2124,
        prompt_tokens_details: { cached_tokens: 2000 },
      },
    ],
    [
      { input_tokens: 1101, output_tokens: 21, total_tokens: 1122, input_tokens_details: { cached_tokens: 1000 } },
      { input_tokens: 2102, output_tokens: 22, total_tokens: 2124, input_tokens_details: { cached_tokens: 2000 } },
    ],
    [
      { promptTokenCount: 1101, cachedContentTokenCount: 1000, candidatesTokenCount: 21, totalTokenCount: 1127 },
      { promptTokenCount: 2102, cachedContentTokenCount: 2000, candidatesTokenCount: 22, totalTokenCount: 2129 },
    ],
    [
      { input_tokens: 101, cache_read_input_tokens: 1000, cache_creation_input_tokens: 10, output_tokens: 21 },
      { input_tokens: 102, cache_read_input_tokens: 2000, cache_creation_input_tokens: 20, output_tokens: 22 },
    ],
  ]);
  const bills = CLIENTS.map((_client, at) => server.requests().filter(({ key }) => key === `bill-${at}`));
  const bill = (n: number, more: object = {}) => ({
    input_tokens: 100 + n,
    cached_input_tokens: 1000 * n,
    cache_write_tokens: 0,
    output_tokens: 20 + n,
    ...more,
  });
  expect(bills.map((requests) => requests.map(({ billed }) => billed))).toEqual([
    [bill(1), bill(2)],
    [bill(1), bill(2)],
    [bill(1, { output_tokens: 26 }), bill(2, { output_tokens: 27 })],
    [bill(1, { cache_write_tokens: 10 }), bill(2, { cache_write_tokens: 20 })],
  ]);
});

test('an answer that breaks off and a refusal are not billed', async () => {
  for (const scenario of ['e401', 'cut']) {
    await fetch(`${server.url}/sc/${scenario}:unbilled/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify(chat.body(question)),
    })
      .then((response) => response.text())
      .catch(() => {});
  }
  const requests = server.requests().filter(({ key }) => key === 'unbilled');
  expect(requests.map(({ outcome, billed }) => [outcome, billed])).toEqual([
    ['refused', null],
    ['cut', null],
  ]);
});

test('a stream splits the done marker', async () => {
  for (const client of CLIENTS) {
    const body = client.body({ ...question, stream: true });
    const response = await post(`${server.url}/sc/done${client.path(true)}`, body);
    // Responses repeat the whole text when it is complete.
    const pieces = parseEvents(await response.text()).filter(({ event }) => !/(done|completed)$/.test(event ?? ''));
    expect(pieces.length, client.name).toBeGreaterThan(5);
    expect(JSON.stringify(pieces), client.name).not.toContain('__SKILL_DONE__');
  }
});

test('responses stream the reasoning, the message and the call in the order of the real service', async () => {
  const body = responses.body({ ...question, stream: true });
  expect(await eventNames(await post(`${server.url}/sc/tool/v1/responses`, body))).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.reasoning_summary_part.added',
    'response.reasoning_summary_text.delta',
    'response.reasoning_summary_text.done',
    'response.reasoning_summary_part.done',
    'response.output_item.done',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.output_item.added',
    'response.function_call_arguments.delta',
    'response.function_call_arguments.done',
    'response.output_item.done',
    'response.completed',
  ]);
});

test('a custom tool of the responses protocol is called with text', async () => {
  const patch = [{ type: 'custom', name: 'apply_patch' }];
  const call = async (tools: unknown, stream: boolean) =>
    post(`${server.url}/sc/write/v1/responses`, { input: 'go', stream, tools });
  const { output } = (await (await call(patch, false)).json()) as { output: { type: string; input?: string }[] };
  expect(output.at(-1)).toMatchObject({
    type: 'custom_tool_call',
    name: 'apply_patch',
    input: '*** Begin Patch\n*** Add File: artifacts/demo.txt\n+written by the demo model\n*** End Patch',
  });
  expect(await eventNames(await call(patch, true))).toContain('response.custom_tool_call_input.delta');
});

test('tools that codex declares within the input are found', async () => {
  const declared = [{ type: 'namespace', name: 'functions', tools: [{ type: 'custom', name: 'exec' }] }];
  const input = [
    { type: 'additional_tools', role: 'developer', tools: declared },
    { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'You are an agent.' }] },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go' }] },
  ];
  const reply = await post(`${server.url}/sc/tool/v1/responses`, { input });
  const { output } = (await reply.json()) as { output: { name?: string; input?: string }[] };
  expect(output.at(-1)).toMatchObject({ name: 'exec', input: expect.stringContaining('tools.exec_command({"cmd":') });
});

test('anthropic streams blocks one after the other', async () => {
  const body = anthropic.body({ ...question, stream: true });
  expect(await eventNames(await post(`${server.url}/sc/tool/v1/messages`, body))).toEqual([
    'message_start',
    'ping',
    'content_block_start',
    'content_block_delta',
    'content_block_delta',
    'content_block_stop',
    'content_block_start',
    'content_block_delta',
    'content_block_delta',
    'content_block_stop',
    'content_block_start',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ]);
});

test('anthropic and gemini send reasoning only to a client that requested it', async () => {
  const messages = [{ role: 'user', content: 'go' }];
  const plain = await post(`${server.url}/v1/messages`, { model: 'any', max_tokens: 9, messages });
  const { content } = (await plain.json()) as { content: { type: string }[] };
  expect(content.map(({ type }) => type)).toEqual(['text']);
  const contents = [{ role: 'user', parts: [{ text: 'go' }] }];
  const google = await post(`${server.url}/v1beta/models/any:generateContent`, { contents });
  expect(await google.text()).not.toContain('thought"');
});

test('gemini streams one JSON list to a client that does not request events', async () => {
  const response = await post(`${server.url}/v1beta/models/any:streamGenerateContent`, gemini.body(question));
  const chunks = (await response.json()) as { candidates: { content: { parts: { text: string }[] } }[] }[];
  expect(chunks.length).toBeGreaterThan(2);
  expect(chunks.map(({ candidates }) => candidates[0]!.content.parts[0]!.text).join('')).toContain('demo model');
});

test('a base URL may end in a version, in a slash or in neither', async () => {
  for (const path of [
    '/v1/chat/completions',
    '/chat/completions',
    '//v1//chat/completions',
    '/v1/v1/chat/completions',
  ]) {
    const response = await post(`${server.url}/sc/done${path}`, chat.body(question));
    expect(response.status, path).toBe(200);
  }
});

test('tokens are counted in the format of each protocol', async () => {
  const count = async (path: string) => (await post(server.url + path, {})).json();
  expect(await count('/v1beta/models/any:countTokens')).toEqual({ totalTokens: 100 });
  expect(await count('/v1/messages/count_tokens?beta=true')).toEqual({ input_tokens: 100 });
  expect(await count('/v1/responses/input_tokens')).toMatchObject({ input_tokens: 100 });
});

test('the list of models has the format of the requested service', async () => {
  const get = async (path: string) => (await fetch(server.url + path)).json();
  expect(await get('/v1/models')).toMatchObject({ object: 'list', data: [{ id: 'demo-model', object: 'model' }] });
  expect(await get('/sc/tool/v1beta/models')).toMatchObject({ models: [{ name: 'models/demo-model' }] });
  expect(await get('/v1/models/gpt-9')).toMatchObject({ id: 'gpt-9' });
});

test('HEAD on the base URL answers without a body, as claude expects', async () => {
  for (const path of ['/', '/sc/tool', '/sc/tool:key/']) {
    const response = await fetch(server.url + path, { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
  }
});
