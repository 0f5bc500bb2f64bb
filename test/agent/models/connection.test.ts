import { getEventListeners } from 'node:events';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type AgentModel,
  allowModelRequests,
  anthropic,
  openai,
  openaiCompatible,
  scriptedModel,
  withModelRequestsForbidden,
} from '../../../src/agent/models/index.ts';
import { failureOf, groupsOf, NEVER, responseOf, userRequest } from './collect.ts';
import { startWireServer, type WireServer } from './wire-server.ts';

let server: WireServer;
afterEach(() => server?.close());

const chunk = (content: string, finish_reason: string | null = null) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta: { content }, finish_reason }],
});
const ANSWER = [chunk('Hello'), chunk(' there', 'stop'), 'data: [DONE]\n\n'];
const connect = (more: object = {}) => openaiCompatible({ baseURL: `${server.url}/v1`, model: 'm', ...more });
const untilClosed = () => expect.poll(() => server.closed()).toEqual([true]);

describe('a connection', () => {
  it('is closed when the signal aborts in the middle of a response', async () => {
    server = await startWireServer([{ frames: [chunk('Hello')], staysOpen: true }]);
    const abort = new AbortController();
    const reason = new Error('cancelled by a test');
    const groups: unknown[] = [];
    const reading = (async () => {
      for await (const group of connect().stream(userRequest('Go'), abort.signal)) {
        groups.push(group);
        abort.abort(reason);
      }
    })();
    await expect(reading).rejects.toBe(reason);
    expect(groups).toHaveLength(1);
    await untilClosed();
  });

  it('is closed when the signal aborts before anything arrived', async () => {
    server = await startWireServer([{ frames: [], staysOpen: true }]);
    const abort = new AbortController();
    const reading = groupsOf(connect(), userRequest('Go'), abort.signal);
    await expect.poll(() => server.requests.length).toBe(1);
    abort.abort();
    await expect(reading).rejects.toThrow('aborted');
    await untilClosed();
  });

  it('is not opened when the signal has aborted already', async () => {
    server = await startWireServer([{ frames: ANSWER }]);
    await expect(groupsOf(connect(), userRequest('Go'), AbortSignal.abort())).rejects.toThrow('aborted');
    expect(server.connections).toBe(0);
  });

  it('is closed when the caller stops reading', async () => {
    server = await startWireServer([{ frames: [chunk('Hello')], staysOpen: true }]);
    for await (const _ of connect().stream(userRequest('Go'), NEVER)) break;
    await untilClosed();
  });

  it.each([
    [
      'openai',
      openai,
      [
        { type: 'response.created', response: { id: 'r', created_at: 1, model: 'm' } },
        { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'msg' } },
        { type: 'response.output_text.delta', item_id: 'msg', delta: 'Hello' },
      ],
    ],
    [
      'anthropic',
      anthropic,
      [
        { type: 'message_start', message: { id: 'm', model: 'm', usage: { input_tokens: 1, output_tokens: 1 } } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
      ],
    ],
  ] as const)('of %s is closed when the caller stops reading', async (_, factory, frames) => {
    server = await startWireServer([{ frames, staysOpen: true }]);
    const model = factory({ baseURL: `${server.url}/v1`, model: 'm', apiKey: 'k' });
    for await (const group of model.stream(userRequest('Go'), NEVER)) {
      if (group.some((part) => part.type === 'delta' && part.text === 'Hello')) break;
    }
    await untilClosed();
  });

  it('is closed after a failure in the middle of a response', async () => {
    server = await startWireServer([{ frames: [{ error: { message: 'no' } }], staysOpen: true }]);
    await failureOf(connect());
    await untilClosed();
  });

  it('is closed when nothing arrives for too long', async () => {
    server = await startWireServer([{ frames: [chunk('Hello')], staysOpen: true }]);
    const failure = await failureOf(connect({ idleTimeoutMs: 500 }));
    expect(failure).toMatchObject({ error: { kind: 'timeout', retryable: true } });
    await untilClosed();
  });

  it('serves the next request when a response was read to its end', async () => {
    server = await startWireServer([{ frames: ANSWER }]);
    const model = connect();
    for (let n = 0; n < 5; n++) {
      await responseOf(model);
      // As the loop does: it stops reading at the end, and aborts what may be left.
      const abort = new AbortController();
      for await (const group of model.stream(userRequest('Go'), abort.signal)) {
        if (group.some(({ type }) => type === 'finish')) break;
      }
      abort.abort();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(server.requests).toHaveLength(10);
    expect(server.connections).toBeLessThan(server.requests.length);
  });

  it('leaves no listener on the signal of a run', async () => {
    server = await startWireServer([{ frames: ANSWER }]);
    const { signal } = new AbortController();
    for (let n = 0; n < 3; n++) await responseOf(connect(), userRequest('Go'), signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('that is refused is a failure of the network', async () => {
    server = await startWireServer([{ frames: ANSWER }]);
    const model = connect();
    await server.close();
    expect(await failureOf(model)).toMatchObject({
      error: { kind: 'network', retryable: true, message: expect.stringContaining('ECONNREFUSED') },
    });
  });
});

describe('requests that are forbidden', () => {
  const models: () => AgentModel[] = () => {
    const key = () => {
      throw new Error('asked for the key');
    };
    const fetch = () => {
      throw new Error('sent a request');
    };
    const common = { baseURL: 'http://127.0.0.1:1/v1', model: 'm', apiKey: key, fetch };
    return [openaiCompatible(common), openai(common), anthropic(common)];
  };

  it('fail before anything is done, and scripted models still work', async () => {
    expect(allowModelRequests(false)).toBe(true);
    try {
      for (const model of models()) {
        expect(await failureOf(model)).toMatchObject({ error: { kind: 'forbidden', retryable: false } });
      }
      expect((await responseOf(scriptedModel(['Hello']))).parts[0]?.text).toBe('Hello');
    } finally {
      expect(allowModelRequests(true)).toBe(false);
    }
  });

  it('are forbidden until a function has ended, also if it fails', async () => {
    const [model] = models();
    await expect(
      withModelRequestsForbidden(async () => {
        await withModelRequestsForbidden(() => 1);
        expect(await failureOf(model!)).toMatchObject({ error: { kind: 'forbidden' } });
        throw new Error('failed');
      }),
    ).rejects.toThrow('failed');
    expect(await failureOf(model!)).not.toMatchObject({ error: { kind: 'forbidden' } });
  });
});

describe('the key of a model', () => {
  it('is asked for before each request, and may change', async () => {
    server = await startWireServer([{ frames: ANSWER }]);
    let key = 'first-key-000';
    const model = connect({ apiKey: async () => key });
    await responseOf(model);
    key = 'second-key-000';
    await responseOf(model);
    await responseOf(model);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer first-key-000',
      'Bearer second-key-000',
      'Bearer second-key-000',
    ]);
  });

  it('and values of headers are hidden when a service quotes them', async () => {
    const message = 'bad key first-key-000 with token header-value-1 in your request';
    server = await startWireServer([{ status: 401, body: { error: { message } } }]);
    const model = connect({ apiKey: 'first-key-000', headers: { 'x-token': 'header-value-1' } });
    const failure = await failureOf(model);
    expect(failure.message).toBe(
      'the model service rejected the API key (401): bad key [redacted] with token [redacted] in your request',
    );
    expect(server.requests[0]!.headers['x-token']).toBe('header-value-1');
    expect(inspect([failure, model], { depth: 9, showHidden: true })).not.toMatch(/first-key|header-value/);
  });

  it('that is empty is a failure that says so, and the environment is not used instead', async () => {
    server = await startWireServer([{ frames: ANSWER }]);
    process.env.OPENAI_API_KEY = 'from-environment';
    try {
      const model = openai({ baseURL: `${server.url}/v1`, model: 'm', apiKey: () => '' });
      expect(await failureOf(model)).toMatchObject({
        error: { kind: 'auth', message: expect.stringContaining('is empty') },
      });
      expect(server.connections).toBe(0);
    } finally {
      delete process.env.OPENAI_API_KEY;
    }
  });

  it('that cannot be read is a failure', async () => {
    server = await startWireServer([{ frames: ANSWER }]);
    const apiKey = () => Promise.reject(new Error('the keychain is locked'));
    expect(await failureOf(connect({ apiKey }))).toMatchObject({
      message: expect.stringContaining('the keychain is locked'),
    });
  });
});

describe('settings', () => {
  it.each([
    [{ model: '', baseURL: 'http://x/v1' }, 'the name of the model is missing'],
    [{ model: 'm', baseURL: 'ftp://x' }, 'baseURL is not an http or https address'],
    [{ model: 'm', baseURL: 'not an address' }, 'baseURL is not an http or https address'],
    [{ model: 'm', baseURL: 'http://x/v1', apiKey: 5 as never }, 'apiKey is neither a text nor a function'],
  ])('that cannot work are rejected at once: %o', (settings, message) => {
    expect(() => openaiCompatible(settings)).toThrow(expect.objectContaining({ code: 'MODEL_INVALID' }));
    expect(() => openaiCompatible(settings)).toThrow(message);
  });

  it('decide how a model is logged', () => {
    const apiKey = 'k';
    expect(openai({ model: 'gpt-5', apiKey }).id).toBe('openai:gpt-5');
    expect(anthropic({ model: 'claude', apiKey }).id).toBe('anthropic:claude');
    expect(openaiCompatible({ model: 'qwen', baseURL: 'http://x/v1' }).id).toBe('openai-compatible:qwen');
    expect(openaiCompatible({ model: 'qwen', baseURL: 'http://x/v1', name: 'vllm' }).id).toBe('vllm:qwen');
    expect(openaiCompatible({ model: 'qwen', baseURL: 'http://x/v1', id: 'mine' }).id).toBe('mine');
  });
});
