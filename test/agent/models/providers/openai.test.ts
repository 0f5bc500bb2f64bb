import { afterEach, describe, expect, it } from 'vitest';
import { openai, openaiCompatible, type PromptMessage } from '../../../../src/agent/models/index.ts';
import { failureOf, responseOf, SHELL_TOOL, userRequest } from '../collect.ts';
import { startWireServer, type WireReply, type WireServer } from '../wire-server.ts';

let server: WireServer;
afterEach(() => server?.close());

const response = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'gpt-5',
  error: null,
  incomplete_details: null,
};
const reasoning = (encrypted_content: string | null) => ({
  type: 'reasoning',
  id: 'rs_1',
  summary: [],
  encrypted_content,
});
const call = (args: string) => ({
  type: 'function_call',
  id: 'fc_1',
  call_id: 'call_1',
  name: 'shell_command',
  arguments: args,
  status: 'completed',
});
const RESPONSE: WireReply = {
  frames: [
    { type: 'response.created', response },
    { type: 'response.output_item.added', output_index: 0, item: reasoning(null) },
    { type: 'response.output_item.done', output_index: 0, item: reasoning('ZW5jcnlwdGVk') },
    { type: 'response.output_item.added', output_index: 1, item: call('') },
    { type: 'response.function_call_arguments.delta', item_id: 'fc_1', output_index: 1, delta: '{"command":' },
    { type: 'response.function_call_arguments.delta', item_id: 'fc_1', output_index: 1, delta: '"ls"}' },
    { type: 'response.function_call_arguments.done', item_id: 'fc_1', output_index: 1, arguments: '{"command":"ls"}' },
    { type: 'response.output_item.done', output_index: 1, item: call('{"command":"ls"}') },
    {
      type: 'response.completed',
      response: {
        ...response,
        usage: {
          input_tokens: 100,
          input_tokens_details: { cached_tokens: 60 },
          output_tokens: 30,
          output_tokens_details: { reasoning_tokens: 20 },
          total_tokens: 130,
        },
      },
    },
  ].map((frame, sequence_number) => ({ ...frame, sequence_number })),
};

describe('openai', () => {
  const connect = (more: object = {}) =>
    openai({ baseURL: `${server.url}/v1`, model: 'gpt-5', apiKey: 'key-of-test', ...more });

  it('stores nothing at the service and sends encrypted thoughts back', async () => {
    server = await startWireServer([RESPONSE]);
    const model = connect();
    const request = userRequest('Go');
    const { parts, finish } = await responseOf(model, request);
    expect(parts).toEqual([
      { kind: 'reasoning', text: '', meta: { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'ZW5jcnlwdGVk' } } },
      {
        kind: 'tool_arguments',
        call_id: 'call_1',
        name: 'shell_command',
        text: '{"command":"ls"}',
        meta: { openai: { itemId: 'fc_1' } },
      },
    ]);
    expect(finish?.usage).toEqual({
      input_tokens: 40,
      cached_input_tokens: 60,
      output_tokens: 30,
      reasoning_tokens: 20,
      total_tokens: 130,
    });
    const answer: PromptMessage = {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: '', providerOptions: parts[0]!.meta as never },
        {
          type: 'tool-call',
          toolCallId: 'call_1',
          toolName: 'shell_command',
          input: { command: 'ls' },
          providerOptions: parts[1]!.meta as never,
        },
      ],
    };
    const result: PromptMessage = {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'call_1',
          toolName: 'shell_command',
          output: { type: 'text', value: 'a.txt' },
        },
      ],
    };
    await responseOf(model, { ...request, prompt: [...request.prompt, answer, result] });
    const [first, second] = server.requests;
    expect(first!.body).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
    expect((second!.body.input as object[]).slice(2)).toEqual([
      { type: 'reasoning', id: 'rs_1', encrypted_content: 'ZW5jcnlwdGVk', summary: [] },
      expect.objectContaining({
        type: 'function_call',
        call_id: 'call_1',
        name: 'shell_command',
        arguments: '{"command":"ls"}',
      }),
      { type: 'function_call_output', call_id: 'call_1', output: 'a.txt' },
    ]);
  });

  it('takes a stream without its last event for a broken response', async () => {
    server = await startWireServer([{ frames: RESPONSE.frames!.slice(0, -1) }]);
    expect(await failureOf(connect())).toMatchObject({ error: { kind: 'network', retryable: true } });
  });

  it('reports a response that failed', async () => {
    const failed = {
      type: 'response.failed',
      sequence_number: 1,
      response: {
        ...response,
        status: 'failed',
        error: { code: 'context_length_exceeded', message: 'Your input exceeds the context window of this model.' },
      },
    };
    server = await startWireServer([{ frames: [RESPONSE.frames![0]!, failed] }]);
    expect(await failureOf(connect())).toMatchObject({ error: { kind: 'context_overflow', retryable: false } });
  });

  it('enforces a schema only if the service would accept it', async () => {
    server = await startWireServer([RESPONSE]);
    const properties = { a: { type: 'string' }, b: { type: 'string' } };
    const strict = { type: 'object', properties, required: ['a', 'b'], additionalProperties: false };
    const loose = { type: 'object', properties, required: ['a'] };
    for (const outputSchema of [strict, loose]) await responseOf(connect(), userRequest('Go', { outputSchema }));
    const sent = server.requests.map(({ body }) => JSON.parse(body.text).text.format);
    expect(sent).toMatchObject([
      { type: 'json_schema', strict: true },
      { type: 'json_schema', strict: false },
    ]);
  });

  it('passes on effort and further options', async () => {
    server = await startWireServer([RESPONSE]);
    await responseOf(
      connect({ model: 'some-new-model', effort: 'low', providerOptions: { openai: { promptCacheKey: 'k' } } }),
    );
    expect(server.requests[0]!.body).toMatchObject({
      reasoning: { effort: 'low' },
      prompt_cache_key: 'k',
      store: false,
      include: ['reasoning.encrypted_content'],
    });
  });
});

describe('openaiCompatible', () => {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason }],
  });
  const usage = (more: object) => ({ ...chunk({}), choices: [], usage: more });
  const connect = (more: object = {}) => openaiCompatible({ baseURL: `${server.url}/v1`, model: 'm', ...more });

  it('reads parallel calls, thoughts and a `stop` that means tool calls', async () => {
    server = await startWireServer([
      {
        frames: [
          chunk({ role: 'assistant', content: '' }),
          chunk({ reasoning_content: 'Hm' }),
          chunk({ reasoning_content: 'm.' }),
          chunk({ content: 'Two calls.' }),
          chunk({
            tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'shell_command', arguments: '' } }],
          }),
          chunk({ tool_calls: [{ index: 0, function: { arguments: '{"command":' } }] }),
          chunk({ tool_calls: [{ index: 0, function: { arguments: '"ls"}' } }] }),
          chunk({
            tool_calls: [
              {
                index: 1,
                id: 'b',
                type: 'function',
                function: { name: 'shell_command', arguments: '{"command":"pwd"}' },
              },
            ],
          }),
          chunk({}, 'stop'),
          usage({
            prompt_tokens: 50,
            completion_tokens: 5,
            total_tokens: 65,
            completion_tokens_details: { reasoning_tokens: 10 },
          }),
          'data: [DONE]\n\n',
        ],
      },
    ]);
    const { parts, finish } = await responseOf(connect());
    expect(parts).toEqual([
      { kind: 'reasoning', text: 'Hmm.' },
      { kind: 'text', text: 'Two calls.' },
      { kind: 'tool_arguments', call_id: 'a', name: 'shell_command', text: '{"command":"ls"}' },
      { kind: 'tool_arguments', call_id: 'b', name: 'shell_command', text: '{"command":"pwd"}' },
    ]);
    // The stated sum shows that this server counts thoughts beside the output.
    expect(finish).toEqual({
      type: 'finish',
      finish_reason: 'tool_calls',
      usage: { input_tokens: 50, cached_input_tokens: 0, output_tokens: 15, reasoning_tokens: 10, total_tokens: 65 },
    });
  });

  it('sends a signature of Gemini back with its call', async () => {
    const signed = {
      index: 0,
      id: 'a',
      type: 'function',
      function: { name: 'shell_command', arguments: '{}' },
      extra_content: { google: { thought_signature: 'c2ln' } },
    };
    server = await startWireServer([
      { frames: [chunk({ tool_calls: [signed] }), chunk({}, 'tool_calls'), 'data: [DONE]\n\n'] },
    ]);
    const model = connect();
    const request = userRequest('Go');
    const { parts, finish } = await responseOf(model, request);
    expect(finish?.usage).toBeNull();
    const toolCall = {
      type: 'tool-call' as const,
      toolCallId: 'a',
      toolName: 'shell_command',
      input: {},
      providerOptions: parts[0]!.meta as never,
    };
    const output = { type: 'text' as const, value: 'ok' };
    await responseOf(model, {
      ...request,
      prompt: [
        ...request.prompt,
        { role: 'assistant', content: [toolCall] },
        { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'shell_command', output }] },
      ],
    });
    const messages = server.requests[1]!.body.messages as { tool_calls?: object[] }[];
    expect(messages[2]!.tool_calls).toEqual([
      {
        id: 'a',
        type: 'function',
        function: { name: 'shell_command', arguments: '{}' },
        extra_content: { google: { thought_signature: 'c2ln' } },
      },
    ]);
  });

  it('sends no key to a server without one, and asks for the usage', async () => {
    server = await startWireServer([{ frames: [chunk({ content: 'Hi' }, 'stop'), 'data: [DONE]\n\n'] }]);
    await responseOf(connect(), userRequest('Go', { tools: [SHELL_TOOL], maxOutputTokens: 77, temperature: 0.5 }));
    expect(server.requests[0]!.headers.authorization).toBeUndefined();
    expect(server.requests[0]!.body).toMatchObject({
      stream_options: { include_usage: true },
      max_tokens: 77,
      temperature: 0.5,
    });
    expect(server.requests[0]!.body.response_format).toBeUndefined();
  });

  it('asks a server without schemas for any JSON', async () => {
    server = await startWireServer([{ frames: [chunk({ content: '{}' }, 'stop'), 'data: [DONE]\n\n'] }]);
    const outputSchema = { type: 'object', properties: {}, additionalProperties: false };
    await responseOf(connect({ structuredOutputs: false }), userRequest('Go', { outputSchema }));
    await responseOf(connect(), userRequest('Go', { outputSchema }));
    expect(server.requests.map(({ body }) => body.response_format)).toMatchObject([
      { type: 'json_object' },
      { type: 'json_schema', json_schema: { strict: true, schema: outputSchema } },
    ]);
  });

  it('reports an error that a server sends inside of a stream', async () => {
    const error = {
      message: "This model's maximum context length is 4096 tokens.",
      type: 'BadRequestError',
      code: 400,
    };
    server = await startWireServer([{ frames: [chunk({ content: 'x' }), { error }] }]);
    expect(await failureOf(connect())).toMatchObject({ error: { kind: 'context_overflow', status: 400 } });
  });

  it('reports Retry-After', async () => {
    server = await startWireServer([
      { status: 429, headers: { 'Retry-After': '3' }, body: { error: { message: 'slow down' } } },
    ]);
    expect(await failureOf(connect())).toMatchObject({
      error: { kind: 'rate_limited', retry_after_ms: 3000, message: expect.stringContaining('slow down') },
    });
  });
});
