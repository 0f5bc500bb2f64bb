import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentModel, anthropic, openai, openaiCompatible } from '../../../src/agent/models/index.ts';
import { type ModelServer, startModelServer } from '../../../src/demo/index.ts';
import { failureOf, foldChunks, groupsOf, responseOf, SHELL_TOOL, userRequest } from './collect.ts';

const KEY = 'demo-key-0123456789';
let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({ delayMs: 5, refusals: 1 });
});
afterAll(() => server.close());

let count = 0;
/** Each test has a key of its own: scenarios remember what they answered before. */
const address = (scenario: string) => `${server.url}/sc/${scenario}:${++count}/v1`;

const SERVICES: Record<string, (scenario: string) => AgentModel> = {
  'openai-compatible': (scenario) =>
    openaiCompatible({ baseURL: address(scenario), model: 'demo', apiKey: KEY, idleTimeoutMs: 30_000 }),
  openai: (scenario) => openai({ baseURL: address(scenario), model: 'gpt-5', apiKey: () => KEY }),
  anthropic: (scenario) =>
    anthropic({
      baseURL: address(scenario),
      model: 'claude-demo',
      apiKey: async () => KEY,
      thinking: { budgetTokens: 1024 },
    }),
};

describe.each(Object.entries(SERVICES))('%s', (name, connect) => {
  it('streams thoughts and text, with the usage at the end', async () => {
    const { parts, finish } = await responseOf(connect('text'));
    expect(parts.map(({ kind }) => kind)).toEqual(['reasoning', 'text']);
    expect(parts[1]!.text.length).toBeGreaterThan(10);
    expect(finish).toEqual({
      type: 'finish',
      finish_reason: 'stop',
      usage: expect.objectContaining({ input_tokens: 100, output_tokens: 20, total_tokens: 120 }),
    });
  });

  it('streams a tool call with its arguments', async () => {
    const { parts, finish } = await responseOf(connect('tool'), userRequest('Go', { tools: [SHELL_TOOL] }));
    const call = parts.find(({ kind }) => kind === 'tool_arguments')!;
    expect(call).toMatchObject({ call_id: expect.stringMatching(/^(?:call|toolu)_/), name: 'shell_command' });
    expect(JSON.parse(call.text)).toEqual({ command: expect.any(String) });
    expect(finish?.finish_reason).toBe('tool_calls');
  });

  it('counts cached input apart from other input', async () => {
    const model = connect('cached');
    const { finish } = await responseOf(model, userRequest('Go', { tools: [SHELL_TOOL] }));
    const written = name === 'anthropic' ? 10 : 0;
    expect(finish?.usage).toMatchObject({
      input_tokens: 101,
      cached_input_tokens: 1000,
      output_tokens: 21,
      total_tokens: 101 + 1000 + written + 21,
    });
    expect(finish?.usage?.cache_write_tokens ?? 0).toBe(written);
  });

  it('delivers a long answer unchanged', async () => {
    const groups = await groupsOf(connect('long'));
    const { parts } = foldChunks(groups.flat());
    expect(parts.at(-1)!.text.length).toBeGreaterThan(190_000);
    expect(server.requests().at(-1)?.streamed).toBe(true);
  });

  it.each([
    ['e401', { kind: 'auth', status: 401, retryable: false }],
    ['e400', { kind: 'invalid_request', status: 400, retryable: false }],
    ['e500', { kind: 'unknown', status: 500, retryable: true }],
    ['r429', { kind: 'rate_limited', status: 429, retryable: true }],
    ['cut', { kind: 'network', retryable: true }],
    ['malformed', { kind: 'network', retryable: true }],
  ])('reports the failure of scenario %s, once and without the key', async (scenario, expected) => {
    const before = server.requests().length;
    const failure = await failureOf(connect(scenario));
    expect(failure).toMatchObject({ name: 'ModelFailure', error: expected });
    expect(failure.message).not.toContain(KEY);
    // The packages do not retry by themselves.
    expect(server.requests().length).toBe(before + 1);
  });

  it('answers after a rate limit', async () => {
    const model = connect('r429');
    expect(await failureOf(model)).toMatchObject({ error: { kind: 'rate_limited' } });
    expect((await responseOf(model)).finish?.finish_reason).toBe('stop');
  });

  it('fails with a timeout when the service stays silent', async () => {
    const baseURL = address('hang');
    const common = { baseURL, model: 'gpt-5', apiKey: KEY, idleTimeoutMs: 50 };
    const model = { 'openai-compatible': openaiCompatible, openai, anthropic }[name]!(common);
    expect(await failureOf(model)).toMatchObject({
      error: { kind: 'timeout', retryable: true, message: 'the model service sent nothing for 0.05 s' },
    });
  });

  it('asks for JSON by the schema of the output', async () => {
    const outputSchema = {
      type: 'object',
      properties: { title: { type: 'string' } },
      required: ['title'],
      additionalProperties: false,
    };
    await responseOf(connect('text'), userRequest('Go', { outputSchema }));
    const body = JSON.stringify(server.requests().at(-1)?.body);
    expect(body).toContain('"title"');
  });

  it('shows neither the key nor the settings of a model', async () => {
    const { inspect } = await import('node:util');
    const model = connect('e401');
    await failureOf(model);
    for (const text of [inspect(model, { depth: 9, showHidden: true }), JSON.stringify(model), String(model)]) {
      expect(text).not.toContain(KEY);
    }
    expect(Object.keys(model)).toEqual(['id', 'stream']);
  });
});
