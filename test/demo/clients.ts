import { expect } from 'vitest';

type Json = Record<string, unknown>;

/** One message of a conversation, independent of the protocol. */
export type Message =
  | { role: 'user'; text: string }
  | { role: 'assistant'; text: string }
  | { role: 'call'; name: string; arguments: Json }
  | { role: 'result'; text: string };

export interface Question {
  messages: Message[];
  system?: string;
  tools?: { name: string; schema: Json }[];
  schema?: Json;
  stream?: boolean;
}

/** The reply as read by a client, whole or assembled from a stream. */
export interface Reply {
  text: string;
  reasoning: string;
  call: { name: string; arguments: Json } | null;
  finish: unknown;
  usage: unknown;
}

export interface Client {
  name: string;
  path(stream: boolean): string;
  body(question: Question): Json;
  readDocument(document: Json): Reply;
  readEvents(events: ServerEvent[]): Reply;
  errorMessage(body: Json): unknown;
}

export interface ServerEvent {
  event: string | null;
  data: string;
}

export const SHELL = {
  name: 'bash',
  schema: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
};
export const WRITER = {
  name: 'write_file',
  schema: {
    type: 'object',
    properties: { file_path: { type: 'string' }, content: { type: 'string' } },
    required: ['file_path', 'content'],
  },
};

export async function ask(client: Client, base: string, question: Question): Promise<Reply> {
  const response = await post(base + client.path(question.stream ?? false), client.body(question));
  expect(response.status).toBe(200);
  if (!question.stream) {
    expect(response.headers.get('content-type')).toContain('application/json');
    return client.readDocument((await response.json()) as Json);
  }
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  return client.readEvents(parseEvents(await response.text()));
}

export function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });
}

/** Strict on purpose: every block is an optional event line and one data line. */
export function parseEvents(text: string): ServerEvent[] {
  expect(text.endsWith('\n\n')).toBe(true);
  return text
    .slice(0, -2)
    .split('\n\n')
    .map((block) => {
      const match = /^(?:event: (.+)\n)?data: (.*)$/.exec(block);
      expect(match, block).not.toBeNull();
      return { event: match![1] ?? null, data: match![2]! };
    });
}

const json = (events: ServerEvent[]) => events.map(({ data }) => JSON.parse(data) as Json);
// The shapes below are those of the protocols; a wrong one fails the test that reads it.
// biome-ignore lint/suspicious/noExplicitAny: replies of four protocols, read once each
const loose = (value: unknown) => value as any;

export const chat: Client = {
  name: 'openai chat',
  path: () => '/v1/chat/completions',
  errorMessage: (body) => loose(body).error.message,
  body: ({ messages, system, tools, schema, stream }) => ({
    model: 'any',
    stream: stream ?? false,
    messages: [
      ...(system ? [{ role: 'system', content: system }] : []),
      ...messages.map((message, index) => {
        if (message.role === 'call') {
          const call = { name: message.name, arguments: JSON.stringify(message.arguments) };
          const id = `call_${index}`;
          return { role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: call }] };
        }
        if (message.role === 'result')
          return { role: 'tool', tool_call_id: `call_${index - 1}`, content: message.text };
        return { role: message.role, content: message.text };
      }),
    ],
    ...(tools
      ? { tools: tools.map(({ name, schema }) => ({ type: 'function', function: { name, parameters: schema } })) }
      : {}),
    ...(schema ? { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } } : {}),
  }),
  readDocument: (document) => {
    const [choice] = loose(document).choices;
    const call = choice.message.tool_calls?.[0]?.function;
    return {
      text: choice.message.content ?? '',
      reasoning: choice.message.reasoning_content ?? '',
      call: call ? { name: call.name, arguments: JSON.parse(call.arguments) } : null,
      finish: choice.finish_reason,
      usage: document.usage,
    };
  },
  readEvents: (events) => {
    expect(events.at(-1)!.data).toBe('[DONE]');
    const chunks = json(events.slice(0, -1)).map(loose);
    const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }: { delta: Json }) => delta)).map(loose);
    const call = deltas.find(({ tool_calls }) => tool_calls)?.tool_calls[0].function;
    return {
      text: deltas.map(({ content }) => content ?? '').join(''),
      reasoning: deltas.map(({ reasoning_content }) => reasoning_content ?? '').join(''),
      call: call ? { name: call.name, arguments: JSON.parse(call.arguments) } : null,
      finish: chunks.flatMap(({ choices }) => choices).at(-1).finish_reason,
      usage: chunks.at(-1).usage,
    };
  },
};

export const responses: Client = {
  name: 'openai responses',
  path: () => '/v1/responses',
  errorMessage: (body) => loose(body).error.message,
  body: ({ messages, system, tools, schema, stream }) => ({
    model: 'any',
    stream: stream ?? false,
    ...(system ? { instructions: system } : {}),
    input: messages.map((message, index) => {
      if (message.role === 'call') {
        const call = { name: message.name, arguments: JSON.stringify(message.arguments) };
        return { type: 'function_call', call_id: `call_${index}`, ...call };
      }
      if (message.role === 'result') {
        return { type: 'function_call_output', call_id: `call_${index - 1}`, output: message.text };
      }
      const type = message.role === 'user' ? 'input_text' : 'output_text';
      return { type: 'message', role: message.role, content: [{ type, text: message.text }] };
    }),
    ...(tools ? { tools: tools.map(({ name, schema }) => ({ type: 'function', name, parameters: schema })) } : {}),
    ...(schema ? { text: { format: { type: 'json_schema', name: 'answer', schema } } } : {}),
  }),
  readDocument: (document) => {
    const items = loose(document).output;
    const item = (type: string) => items.find((one: Json) => one.type === type);
    const call = item('function_call');
    return {
      text: item('message')?.content[0].text ?? '',
      reasoning: item('reasoning')?.summary[0].text ?? '',
      call: call ? { name: call.name, arguments: JSON.parse(call.arguments) } : null,
      finish: document.status,
      usage: document.usage,
    };
  },
  readEvents: (events) => {
    const payloads = json(events).map(loose);
    expect(payloads.map(({ sequence_number }) => sequence_number)).toEqual(payloads.map((_, index) => index));
    expect(payloads.map(({ type }) => type)).toEqual(events.map(({ event }) => event));
    expect(payloads.at(-1).type).toBe('response.completed');
    const whole = responses.readDocument(payloads.at(-1).response);
    const joined = (type: string) =>
      payloads
        .filter((payload) => payload.type === type)
        .map(({ delta }) => delta)
        .join('');
    expect(joined('response.output_text.delta')).toBe(whole.text);
    expect(joined('response.reasoning_summary_text.delta')).toBe(whole.reasoning);
    if (whole.call) expect(JSON.parse(joined('response.function_call_arguments.delta'))).toEqual(whole.call.arguments);
    return whole;
  },
};

export const gemini: Client = {
  name: 'gemini',
  path: (stream) =>
    stream ? '/v1beta/models/any:streamGenerateContent?alt=sse' : '/v1beta/models/any:generateContent',
  errorMessage: (body) => loose(body).error.message,
  body: ({ messages, system, tools, schema }) => ({
    ...(system ? { systemInstruction: { parts: [{ text: system }] } } : {}),
    contents: messages.map((message) => {
      if (message.role === 'call') {
        return { role: 'model', parts: [{ functionCall: { name: message.name, args: message.arguments } }] };
      }
      if (message.role === 'result') {
        return { role: 'user', parts: [{ functionResponse: { name: 'any', response: { output: message.text } } }] };
      }
      return { role: message.role === 'user' ? 'user' : 'model', parts: [{ text: message.text }] };
    }),
    ...(tools
      ? { tools: [{ functionDeclarations: tools.map(({ name, schema }) => ({ name, parametersJsonSchema: schema })) }] }
      : {}),
    generationConfig: {
      thinkingConfig: { includeThoughts: true },
      ...(schema ? { responseMimeType: 'application/json', responseJsonSchema: schema } : {}),
    },
  }),
  readDocument: (document) => {
    const [candidate] = loose(document).candidates;
    return { ...readParts(candidate.content.parts), finish: candidate.finishReason, usage: document.usageMetadata };
  },
  readEvents: (events) => {
    const chunks = json(events).map(loose);
    const candidates = chunks.map(({ candidates: [candidate] }) => candidate);
    return {
      ...readParts(candidates.flatMap(({ content }) => content.parts)),
      finish: candidates.at(-1).finishReason,
      usage: chunks.at(-1).usageMetadata,
    };
  },
};

function readParts(parts: unknown[]): Pick<Reply, 'text' | 'reasoning' | 'call'> {
  const all = parts.map(loose);
  const call = all.find(({ functionCall }) => functionCall)?.functionCall;
  const joined = (thought: boolean) =>
    all
      .filter((part) => (part.thought ?? false) === thought)
      .map(({ text }) => text ?? '')
      .join('');
  return {
    text: joined(false),
    reasoning: joined(true).replace('**Script**\n', ''),
    call: call ? { name: call.name, arguments: call.args } : null,
  };
}

export const anthropic: Client = {
  name: 'anthropic',
  path: () => '/v1/messages?beta=true',
  errorMessage: (body) => loose(body).error.message,
  body: ({ messages, system, tools, schema, stream }) => ({
    model: 'any',
    max_tokens: 1000,
    stream: stream ?? false,
    thinking: { type: 'enabled', budget_tokens: 100 },
    ...(system ? { system: [{ type: 'text', text: system }] } : {}),
    messages: messages.map((message, index) => {
      if (message.role === 'call') {
        const call = { type: 'tool_use', id: `toolu_${index}`, name: message.name, input: message.arguments };
        return { role: 'assistant', content: [call] };
      }
      if (message.role === 'result') {
        const result = { type: 'tool_result', tool_use_id: `toolu_${index - 1}`, content: message.text };
        return {
          role: 'user',
          content: [result, { type: 'text', text: '<system-reminder>be kind</system-reminder>' }],
        };
      }
      return { role: message.role, content: [{ type: 'text', text: message.text }] };
    }),
    ...(tools ? { tools: tools.map(({ name, schema }) => ({ name, input_schema: schema })) } : {}),
    ...(schema ? { output_config: { format: { type: 'json_schema', schema } } } : {}),
  }),
  readDocument: (document) => {
    const blocks = loose(document).content;
    const block = (type: string) => blocks.find((one: Json) => one.type === type);
    const call = block('tool_use');
    return {
      text: block('text')?.text ?? '',
      reasoning: block('thinking')?.thinking ?? '',
      call: call ? { name: call.name, arguments: call.input } : null,
      finish: document.stop_reason,
      usage: document.usage,
    };
  },
  readEvents: (events) => {
    const payloads = json(events).map(loose);
    expect(payloads.map(({ type }) => type)).toEqual(events.map(({ event }) => event));
    expect(payloads[0].type).toBe('message_start');
    expect(payloads.at(-1).type).toBe('message_stop');
    const joined = (field: string) => payloads.map(({ delta }) => delta?.[field] ?? '').join('');
    const start = payloads.find((payload) => payload.content_block?.type === 'tool_use')?.content_block;
    const end = payloads.find(({ type }) => type === 'message_delta');
    return {
      text: joined('text'),
      reasoning: joined('thinking'),
      call: start ? { name: start.name, arguments: JSON.parse(joined('partial_json')) } : null,
      finish: end.delta.stop_reason,
      usage: { ...payloads[0].message.usage, ...end.usage },
    };
  },
};

export const CLIENTS: readonly Client[] = [chat, responses, gemini, anthropic];
