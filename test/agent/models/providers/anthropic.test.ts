import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { anthropic, type ModelRequest, type PromptMessage } from '../../../../src/agent/models/index.ts';
import { proofSize } from '../../../support/proof-size.ts';
import { failureOf, responseOf, SHELL_TOOL, userRequest } from '../collect.ts';
import { encodeFrame, startWireServer, type WireReply, type WireServer } from '../wire-server.ts';

let server: WireServer;
afterEach(() => server?.close());

const START = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude',
    content: [],
    stop_reason: null,
    usage: { input_tokens: 9, output_tokens: 1, cache_read_input_tokens: 70, cache_creation_input_tokens: 21 },
  },
};
const END = (stop_reason: string) => [
  { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 12 } },
  { type: 'message_stop' },
];
const block = (index: number, content_block: object, ...deltas: object[]) => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
];
const THINKING: WireReply = {
  frames: [
    START,
    { type: 'ping' },
    ...block(
      0,
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'thinking_delta', thinking: 'Let me ' },
      { type: 'thinking_delta', thinking: 'see.' },
      { type: 'signature_delta', signature: 'c2ln' },
    ),
    ...block(1, { type: 'redacted_thinking', data: 'aGlkZGVu' }),
    ...block(2, { type: 'text', text: '' }, { type: 'text_delta', text: 'I will look.' }),
    ...block(
      3,
      { type: 'tool_use', id: 'toolu_1', name: 'shell_command', input: {} },
      { type: 'input_json_delta', partial_json: '{"comm' },
      { type: 'input_json_delta', partial_json: 'and":"ls"}' },
    ),
    ...END('tool_use'),
  ],
};
const ANSWER: WireReply = {
  frames: [START, ...block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'Done.' }), ...END('end_turn')],
};

function connect(more: object = {}) {
  return anthropic({ baseURL: `${server.url}/v1`, model: 'claude-sonnet-4-5', apiKey: 'key-of-test', ...more });
}

/** The answer as the loop sends it back. */
function assistantMessage(parts: Awaited<ReturnType<typeof responseOf>>['parts']): PromptMessage {
  const content = parts.map(({ kind, text, call_id, name, meta }) => {
    const own = meta === undefined ? {} : { providerOptions: meta as never };
    return kind === 'tool_arguments'
      ? { type: 'tool-call' as const, toolCallId: call_id!, toolName: name!, input: JSON.parse(text), ...own }
      : { type: kind as 'text' | 'reasoning', text, ...own };
  });
  return { role: 'assistant', content };
}

const toolResult = (value: string): PromptMessage => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId: 'toolu_1', toolName: 'shell_command', output: { type: 'text', value } }],
});

describe('anthropic', () => {
  it('sends signed and redacted thoughts back as they came', async () => {
    server = await startWireServer([THINKING, ANSWER]);
    const model = connect({ thinking: { budgetTokens: 2048 } });
    const request = userRequest('Go');
    const { parts, finish } = await responseOf(model, request);
    expect(parts.map(({ kind, text, meta }) => ({ kind, text, meta }))).toEqual([
      { kind: 'reasoning', text: 'Let me see.', meta: { anthropic: { signature: 'c2ln' } } },
      { kind: 'reasoning', text: '', meta: { anthropic: { redactedData: 'aGlkZGVu' } } },
      { kind: 'text', text: 'I will look.', meta: undefined },
      { kind: 'tool_arguments', text: '{"command":"ls"}', meta: undefined },
    ]);
    expect(finish).toEqual({
      type: 'finish',
      finish_reason: 'tool_calls',
      usage: { input_tokens: 9, cached_input_tokens: 70, cache_write_tokens: 21, output_tokens: 12, total_tokens: 112 },
    });
    await responseOf(model, { ...request, prompt: [...request.prompt, assistantMessage(parts), toolResult('a.txt')] });
    const [first, second] = server.requests;
    expect(first!.body.thinking).toEqual({ type: 'enabled', budget_tokens: 2048 });
    const messages = second!.body.messages as { content: object[] }[];
    expect(messages[1]!.content).toEqual([
      { type: 'thinking', thinking: 'Let me see.', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'aGlkZGVu' },
      { type: 'text', text: 'I will look.' },
      { type: 'tool_use', id: 'toolu_1', name: 'shell_command', input: { command: 'ls' } },
    ]);
  });

  it('marks tools, system prompt and ends of prompts for the cache, at most four, without changing contents', async () => {
    server = await startWireServer([ANSWER]);
    const model = connect();
    const request = userRequest('Go', { tools: [{ ...SHELL_TOOL, name: 'other' }, SHELL_TOOL] });
    const prompt: PromptMessage[] = [...request.prompt];
    const before = JSON.stringify(request);
    for (let step = 0; step < 6; step++) {
      await responseOf(model, { ...request, prompt });
      const call = { type: 'tool-call' as const, toolCallId: `c${step}`, toolName: 'shell_command', input: {} };
      prompt.push({ role: 'assistant', content: [{ type: 'text', text: `step ${step}` }, call] });
      prompt.push({
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: `c${step}`,
            toolName: 'shell_command',
            output: { type: 'text', value: 'ok' },
          },
        ],
      });
    }
    expect(JSON.stringify({ ...request, prompt: request.prompt })).toBe(before);
    const bodies = server.requests.map(({ body }) => body);
    for (const [step, body] of bodies.entries()) {
      const marks = body.text.split('"cache_control"').length - 1;
      expect(marks).toBe(step === 0 ? 3 : 4);
      const tools = body.tools as object[];
      expect(tools.map((tool) => 'cache_control' in tool)).toEqual([false, true]);
      expect(body.system).toEqual([{ type: 'text', text: 'You are a test.', cache_control: { type: 'ephemeral' } }]);
      const messages = body.messages as { content: object[] }[];
      const marked = messages.flatMap(({ content }, index) =>
        content.some((part) => 'cache_control' in part) ? [index] : [],
      );
      expect(marked).toEqual(step === 0 ? [0] : [2 * step - 2, 2 * step]);
    }
    // Without the marks, each prompt begins with the one before.
    const unmarked = bodies.map(({ messages }) =>
      JSON.stringify(messages)
        .replaceAll(/,"cache_control":\{"type":"ephemeral"\}/g, '')
        .slice(0, -1),
    );
    for (const [index, text] of unmarked.slice(1).entries()) expect(text.startsWith(unmarked[index]!)).toBe(true);
  });

  it('reads the same response, however its bytes are cut', async () => {
    const words = block(2, { type: 'text', text: '' }, { type: 'text_delta', text: 'Grüße 👋🏽 aus Köln' });
    const frames = [...THINKING.frames!.slice(0, -2), ...words, ...END('end_turn')];
    const bytes = Buffer.from(frames.map((frame) => encodeFrame(frame as object)).join(''));
    server = await startWireServer([{ frames }]);
    const expected = await responseOf(connect());
    expect(expected.parts.at(-1)?.text).toBe('Grüße 👋🏽 aus Köln');
    await server.close();
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: bytes.length - 1 }), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(cuts, async (places) => {
        const edges = [0, ...places.sort((one, other) => one - other), bytes.length];
        const pieces = edges.slice(1).map((to, index) => bytes.subarray(edges[index], to));
        server = await startWireServer([{ frames: pieces }]);
        expect(await responseOf(connect())).toEqual(expected);
        await server.close();
      }),
      { numRuns: proofSize({ small: 10, full: 500 }) },
    );
  });

  it('sends nothing about the cache when told so', async () => {
    server = await startWireServer([ANSWER]);
    await responseOf(connect({ cacheBreakpoints: false }));
    expect(server.requests[0]!.body.text).not.toContain('cache_control');
  });

  it('sends arguments that are not an object back as one', async () => {
    server = await startWireServer([ANSWER]);
    const call = { type: 'tool-call' as const, toolCallId: 'toolu_1', toolName: 'shell_command', input: ['ls'] };
    const request: ModelRequest = userRequest('Go');
    await responseOf(connect(), {
      ...request,
      prompt: [...request.prompt, { role: 'assistant', content: [call] }, toolResult('no')],
    });
    const messages = server.requests[0]!.body.messages as { content: { input: unknown }[] }[];
    expect(messages[1]!.content[0]!.input).toEqual({ value: ['ls'] });
    expect(call.input).toEqual(['ls']);
  });

  it.each([
    [
      { type: 'overloaded_error', message: 'Overloaded' },
      { kind: 'overloaded', retryable: true, status: 529 },
    ],
    [
      { type: 'rate_limit_error', message: 'slow down' },
      { kind: 'rate_limited', retryable: true },
    ],
    [
      { type: 'invalid_request_error', message: 'prompt is too long: 5 tokens > 4 maximum' },
      { kind: 'context_overflow', retryable: false },
    ],
  ])('reports an error frame at the beginning of a stream: $type', async (error, expected) => {
    server = await startWireServer([{ frames: [{ type: 'error', error }] }]);
    expect(await failureOf(connect())).toMatchObject({ error: expected });
  });

  it('reports an error in the middle of a stream, after the text that came before', async () => {
    const frames = [
      START,
      ...block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'Half' }).slice(0, 2),
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    ];
    server = await startWireServer([{ frames }]);
    const texts: string[] = [];
    const reading = (async () => {
      for await (const group of connect().stream(userRequest('Go'), new AbortController().signal)) {
        for (const chunk of group) if (chunk.type === 'delta') texts.push(chunk.text);
      }
    })();
    await expect(reading).rejects.toMatchObject({ error: { kind: 'overloaded', retryable: true } });
    expect(texts.join('')).toBe('Half');
  });

  it('takes a response that ends without its last frame for broken', async () => {
    server = await startWireServer([{ frames: THINKING.frames!.slice(0, -1) }]);
    expect(await failureOf(connect())).toMatchObject({
      error: { kind: 'network', retryable: true, message: 'the response of the model ended before it was complete' },
    });
  });

  it('refuses a tool that Anthropic runs itself', async () => {
    const use = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} };
    server = await startWireServer([{ frames: [START, ...block(0, use), ...END('end_turn')] }]);
    expect(await failureOf(connect())).toMatchObject({
      error: { kind: 'invalid_request', message: expect.stringContaining('"web_search"') },
    });
  });

  it('reports `max_tokens` as the end of a response, not as an overflow', async () => {
    server = await startWireServer([{ frames: [...ANSWER.frames!.slice(0, -2), ...END('max_tokens')] }]);
    expect((await responseOf(connect())).finish?.finish_reason).toBe('length');
  });

  it('asks for JSON by a schema where the model can', async () => {
    server = await startWireServer([ANSWER]);
    const outputSchema = {
      type: 'object',
      properties: { a: { type: 'number' } },
      required: ['a'],
      additionalProperties: false,
    };
    await responseOf(connect(), userRequest('Go', { outputSchema, tools: [] }));
    expect(server.requests[0]!.body.output_config).toMatchObject({ format: { type: 'json_schema' } });
  });
});
