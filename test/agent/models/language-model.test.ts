import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { afterEach, describe, expect, it } from 'vitest';
import {
  languageModel,
  type ModelChunk,
  type ModelRequest,
  type ProviderModel,
} from '../../../src/agent/models/index.ts';
import { failureOf, foldChunks, groupsOf, NEVER, responseOf, userRequest } from './collect.ts';
import { startWireServer, type WireServer } from './wire-server.ts';

let server: WireServer | undefined;
afterEach(() => server?.close());

type Options = { prompt: unknown; abortSignal: AbortSignal } & Record<string, unknown>;

/** A model object as packages of specification 4 make it. */
function version4(parts: readonly unknown[], more: Partial<ProviderModel> = {}): ProviderModel & { asked: Options[] } {
  const asked: Options[] = [];
  return {
    asked,
    specificationVersion: 'v4',
    provider: 'made-up.chat',
    modelId: 'm',
    async doStream(options: Options) {
      asked.push(options);
      const stream = new ReadableStream({
        start(controller) {
          for (const part of parts) controller.enqueue(part);
          controller.close();
        },
      });
      return { stream, request: {}, response: {} };
    },
    ...more,
  } as ProviderModel & { asked: Options[] };
}

const USAGE = {
  inputTokens: { total: 12, noCache: undefined, cacheRead: 4, cacheWrite: 2 },
  outputTokens: { total: 3, text: 3, reasoning: undefined },
};
const FINISH = { type: 'finish', usage: USAGE, finishReason: { unified: 'stop', raw: 'end' } };

describe('languageModel', () => {
  it('takes models of specification 4, with parts that only it has', async () => {
    const model = version4([
      { type: 'stream-start', warnings: [{ type: 'other', message: 'x' }] },
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-file', mediaType: 'image/png', data: { type: 'data', data: 'AA==' } },
      { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
      { type: 'reasoning-end', id: 'r', providerMetadata: { p: { signature: 's' } } },
      { type: 'custom', kind: 'p.thing', providerMetadata: {} },
      { type: 'source', sourceType: 'url', id: 's', url: 'http://x' },
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'Hello' },
      { type: 'text-end', id: 't', citations: [{ type: 'url' }] },
      { type: 'tool-call', toolCallId: 'c', toolName: 'shell_command', input: '{"command":"ls"}' },
      FINISH,
    ]);
    const agentModel = languageModel(model, { providerOptions: { p: { x: 1 } }, headers: { h: 'v' } });
    expect(agentModel.id).toBe('made-up:m');
    const { parts, finish } = await responseOf(agentModel);
    expect(parts).toEqual([
      { kind: 'reasoning', text: 'Hm.', meta: { p: { signature: 's' } } },
      { kind: 'text', text: 'Hello' },
      { kind: 'tool_arguments', call_id: 'c', name: 'shell_command', text: '{"command":"ls"}' },
    ]);
    expect(finish).toEqual({
      type: 'finish',
      finish_reason: 'tool_calls',
      usage: { input_tokens: 6, cached_input_tokens: 4, cache_write_tokens: 2, output_tokens: 3, total_tokens: 15 },
    });
    expect(model.asked[0]).toMatchObject({ providerOptions: { p: { x: 1 } }, headers: { h: 'v' } });
  });

  it('tags files for specification 4, and leaves the prompt alone', async () => {
    const [model, older] = [version4([FINISH]), version4([FINISH], { specificationVersion: 'v3' })];
    const bytes = new Uint8Array([1]);
    const files = [bytes, 'AA==', new URL('https://x/y.png'), 'https://x/y.png'].map((data) => ({
      type: 'file' as const,
      mediaType: 'image/png',
      data,
    }));
    const request: ModelRequest = { ...userRequest('Go'), prompt: [{ role: 'user', content: files }] };
    await responseOf(languageModel(model), request);
    await responseOf(languageModel(older), request);
    const [message] = model.asked[0]!.prompt as [{ content: { data: unknown }[] }];
    expect(message.content.map(({ data }) => data)).toEqual([
      { type: 'data', data: bytes },
      { type: 'data', data: 'AA==' },
      { type: 'url', url: new URL('https://x/y.png') },
      { type: 'url', url: new URL('https://x/y.png') },
    ]);
    expect(older.asked[0]!.prompt).toEqual(request.prompt);
    expect(files[0]!.data).toBe(bytes);
  });

  it('takes a model that another package made', async () => {
    const delta = { content: 'Hi' };
    const frame = { id: 'c', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: 'length' }] };
    server = await startWireServer([{ frames: [frame, 'data: [DONE]\n\n'] }]);
    const provider = createOpenAICompatible({ name: 'mine', baseURL: `${server.url}/v1` });
    const model = languageModel(provider('m'));
    expect(model.id).toBe('mine:m');
    expect((await responseOf(model)).finish).toEqual({ type: 'finish', finish_reason: 'length', usage: null });
  });

  it('marks what Anthropic should cache, wherever its model comes from', async () => {
    const marksOf = async (provider: string) => {
      const model = version4([FINISH], { provider });
      await responseOf(languageModel(model));
      return JSON.stringify(model.asked[0]).split('cacheControl').length - 1;
    };
    expect(await marksOf('anthropic.messages')).toBe(3);
    expect(await marksOf('vertex.anthropic.messages')).toBe(3);
    expect(await marksOf('openai.chat')).toBe(0);
  });

  it.each([[null], [{}], ['gpt-5'], [{ specificationVersion: 'v2', doStream() {} }], [{ specificationVersion: 'v3' }]])(
    'rejects what is not a model of a known specification: %o',
    (model) => {
      expect(() => languageModel(model as never)).toThrow(expect.objectContaining({ code: 'MODEL_INVALID' }));
    },
  );

  it('stops a model that does not listen to its signal', async () => {
    const model = version4([], {
      doStream: async () => ({ stream: new ReadableStream() }),
    });
    const abort = new AbortController();
    const reading = groupsOf(languageModel(model), userRequest('Go'), abort.signal);
    setImmediate(() => abort.abort(new Error('enough')));
    await expect(reading).rejects.toThrow('enough');
  });

  it('delivers what came before a silence that is too long', async () => {
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue({ type: 'text-start', id: '0' });
        controller.enqueue({ type: 'text-delta', id: '0', delta: 'Hello' });
      },
    });
    const model = languageModel(version4([], { doStream: async () => ({ stream }) }), { idleTimeoutMs: 20 });
    const texts: string[] = [];
    const reading = (async () => {
      for await (const group of model.stream(userRequest('Go'), NEVER)) {
        for (const chunk of group) if (chunk.type === 'delta') texts.push(chunk.text);
      }
    })();
    await expect(reading).rejects.toMatchObject({
      error: { kind: 'timeout', message: 'the model service sent nothing for 0.02 s' },
    });
    expect(texts).toEqual(['Hello']);
  });

  it('does not take a slow reader for a silent service', async () => {
    const long = 'x'.repeat(2_000_000);
    const model = version4([
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: 'Hello' },
      { type: 'text-delta', id: '0', delta: long },
      { type: 'text-delta', id: '0', delta: 'end' },
      FINISH,
    ]);
    const chunks: ModelChunk[] = [];
    for await (const group of languageModel(model, { idleTimeoutMs: 5 }).stream(userRequest('Go'), NEVER)) {
      chunks.push(...group);
      // Several times as long as the service may be silent.
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    expect(foldChunks(chunks).parts[0]!.text).toBe(`Hello${long}end`);
  });

  it('reports what a model throws, before and during its stream', async () => {
    const throws = version4([], {
      doStream: async () => {
        throw new TypeError('fetch failed');
      },
    });
    expect(await failureOf(languageModel(throws))).toMatchObject({ error: { kind: 'network' } });
    const breaks = version4([
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: 'x' },
    ]);
    expect(await failureOf(languageModel(breaks))).toMatchObject({
      error: { kind: 'network', message: expect.stringContaining('before it was complete') },
    });
  });
});
