import type { LanguageModelV3Usage } from '@ai-sdk/provider';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChunkQueue } from '../../../src/agent/models/chunk-queue.ts';
import type { ModelChunk } from '../../../src/agent/models/index.ts';
import { partReader } from '../../../src/agent/models/part-reader.ts';
import type { StreamPart } from '../../../src/agent/models/provider-model.ts';
import { proofSize } from '../../support/proof-size.ts';
import { foldChunks, type Response } from './collect.ts';

const USAGE: LanguageModelV3Usage = {
  inputTokens: { total: 10, noCache: 8, cacheRead: 2, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};
const FINISH: StreamPart = { type: 'finish', usage: USAGE, finishReason: { unified: 'stop', raw: 'stop' } };

function chunksOf(parts: readonly StreamPart[]): ModelChunk[] {
  const chunks: ModelChunk[] = [];
  const reader = partReader();
  for (const part of parts) reader.read(part, chunks);
  return chunks;
}

function read(...parts: StreamPart[]): Response {
  return foldChunks(chunksOf([...parts, FINISH]));
}

describe('parts of a response', () => {
  it('are numbered in the order in which they begin', () => {
    const { parts } = read(
      { type: 'stream-start', warnings: [] },
      { type: 'response-metadata', id: 'r' },
      { type: 'reasoning-start', id: '0' },
      { type: 'reasoning-delta', id: '0', delta: 'Hm.' },
      { type: 'reasoning-end', id: '0' },
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: 'Hello ' },
      { type: 'tool-input-start', id: 'a', toolName: 'one' },
      { type: 'tool-input-start', id: 'b', toolName: 'two' },
      { type: 'tool-input-delta', id: 'b', delta: '{"x":' },
      { type: 'tool-input-delta', id: 'a', delta: '{}' },
      { type: 'tool-input-delta', id: 'b', delta: '1}' },
      { type: 'text-delta', id: '1', delta: 'there' },
      { type: 'text-end', id: '1' },
    );
    expect(parts).toEqual([
      { kind: 'reasoning', text: 'Hm.' },
      { kind: 'text', text: 'Hello there' },
      { kind: 'tool_arguments', call_id: 'a', name: 'one', text: '{}' },
      { kind: 'tool_arguments', call_id: 'b', name: 'two', text: '{"x":1}' },
    ]);
  });

  it('begin anew when a server uses an id again', () => {
    const { parts } = read(
      { type: 'text-start', id: 'txt-0' },
      { type: 'text-delta', id: 'txt-0', delta: 'one' },
      { type: 'text-end', id: 'txt-0' },
      { type: 'reasoning-start', id: 'txt-0' },
      { type: 'reasoning-delta', id: 'txt-0', delta: 'two' },
      { type: 'reasoning-end', id: 'txt-0' },
      { type: 'text-start', id: 'txt-0' },
      { type: 'text-delta', id: 'txt-0', delta: 'three' },
      { type: 'text-end', id: 'txt-0' },
      { type: 'tool-call', toolCallId: 'c', toolName: 't', input: '1' },
      { type: 'tool-call', toolCallId: 'c', toolName: 't', input: '2' },
    );
    expect(parts.map(({ text }) => text)).toEqual(['one', 'two', 'three', '1', '2']);
  });

  it('are left out when they are empty, unless the provider wants its data back', () => {
    const { parts } = read(
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: '' },
      { type: 'text-end', id: '0', providerMetadata: { anthropic: {} } },
      { type: 'reasoning-start', id: '1', providerMetadata: { anthropic: { redactedData: 'xyz' } } },
      { type: 'reasoning-end', id: '1' },
    );
    expect(parts).toEqual([{ kind: 'reasoning', text: '', meta: { anthropic: { redactedData: 'xyz' } } }]);
  });

  it('have all metadata that arrived for them, once', () => {
    const chunks = chunksOf([
      {
        type: 'reasoning-start',
        id: 'rs',
        providerMetadata: { openai: { itemId: 'rs', reasoningEncryptedContent: null } },
      },
      { type: 'reasoning-delta', id: 'rs', delta: 'x', providerMetadata: { openai: { itemId: 'rs' } } },
      { type: 'reasoning-end', id: 'rs', providerMetadata: { openai: { reasoningEncryptedContent: 'secret' } } },
      { type: 'text-start', id: 'm', providerMetadata: { openai: { itemId: 'm' } } },
      { type: 'text-delta', id: 'm', delta: 'cut off' },
      FINISH,
    ]);
    expect(chunks.filter(({ type }) => type === 'meta')).toEqual([
      { type: 'meta', part: 0, meta: { openai: { itemId: 'rs', reasoningEncryptedContent: 'secret' } } },
      { type: 'meta', part: 1, meta: { openai: { itemId: 'm' } } },
    ]);
  });

  it('keep a signature of Gemini by the name that it is sent back with', () => {
    const { parts } = read({
      type: 'tool-call',
      toolCallId: 'c',
      toolName: 't',
      input: '{}',
      providerMetadata: { vllm: { thoughtSignature: 'sig' } },
    });
    expect(parts[0]!.meta).toEqual({ google: { thoughtSignature: 'sig' } });
  });
});

describe('a tool call', () => {
  it('may arrive whole, and with metadata', () => {
    const { parts, finish } = read({
      type: 'tool-call',
      toolCallId: 'c1',
      toolName: 'file_read',
      input: '{"path":"a"}',
      providerMetadata: { openai: { itemId: 'fc_1' } },
    });
    expect(parts).toEqual([
      {
        kind: 'tool_arguments',
        call_id: 'c1',
        name: 'file_read',
        text: '{"path":"a"}',
        meta: { openai: { itemId: 'fc_1' } },
      },
    ]);
    expect(finish?.finish_reason).toBe('tool_calls');
  });

  it('is completed by its whole input, without repeating what was streamed', () => {
    const call = (delta: string, input: string) =>
      read(
        { type: 'tool-input-start', id: 'c', toolName: 't' },
        { type: 'tool-input-delta', id: 'c', delta },
        { type: 'tool-input-end', id: 'c' },
        { type: 'tool-call', toolCallId: 'c', toolName: 't', input },
      ).parts[0]!.text;
    expect(call('{"a":1}', '{"a":1}')).toBe('{"a":1}');
    expect(call('{"a"', '{"a":1}')).toBe('{"a":1}');
    expect(call('', '{}')).toBe('{}');
    // What was streamed has been acted on; a provider that words it differently at the end changes nothing.
    expect(call('{"a": 1}', '{"a":1}')).toBe('{"a": 1}');
  });

  it('takes the whole input if the deltas are not JSON', () => {
    const { parts } = read(
      { type: 'tool-input-start', id: 'c', toolName: 't', inputEncoding: 'text' },
      { type: 'tool-input-delta', id: 'c', delta: 'raw ' },
      { type: 'tool-input-delta', id: 'c', delta: 'text' },
      { type: 'tool-call', toolCallId: 'c', toolName: 't', input: '"raw text"' },
    );
    expect(parts[0]!.text).toBe('"raw text"');
  });

  it.each<StreamPart>([
    { type: 'tool-input-start', id: 'c', toolName: 'web_search', providerExecuted: true },
    { type: 'tool-call', toolCallId: 'c', toolName: 'web_search', input: '{}', providerExecuted: true },
    { type: 'tool-result', toolCallId: 'c', toolName: 'web_search', result: {} },
    { type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c' },
  ])('that the service runs itself is refused ($type)', (part) => {
    expect(() => read(part)).toThrow(/runs the tool "\w+" itself, where no policy applies/);
  });
});

describe('the end of a response', () => {
  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['content-filter', 'content_filter'],
    ['tool-calls', 'tool_calls'],
    ['error', 'error'],
    ['other', 'other'],
    ['something-new', 'other'],
  ])('%s is %s', (unified, expected) => {
    const chunks = chunksOf([{ ...FINISH, finishReason: { unified, raw: 'x' } } as StreamPart]);
    expect(chunks).toEqual([{ type: 'finish', finish_reason: expected, usage: expect.anything() }]);
  });

  it('without any reason or usage is a broken response', () => {
    const nothing = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
    const usage = { inputTokens: nothing, outputTokens: { total: undefined, text: undefined, reasoning: undefined } };
    const end: StreamPart = { type: 'finish', usage, finishReason: { unified: 'other', raw: undefined } };
    expect(() => chunksOf([end])).toThrow('ended before it was complete');
  });
});

describe('however a stream is cut', () => {
  const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 });
  const block = fc.record({ kind: fc.constantFrom('text' as const, 'reasoning' as const), text });
  const toolCall = fc.record({
    kind: fc.constant('call' as const),
    text: text.map((value) => JSON.stringify({ value })),
  });
  const responses = fc.array(fc.oneof(block, toolCall), { maxLength: 6 });

  it('each part has the same text, and groups leave nothing out', async () => {
    await fc.assert(
      fc.asyncProperty(responses, fc.infiniteStream(fc.integer({ min: 1, max: 7 })), async (response, sizes) => {
        const next = () => sizes.next().value as number;
        const parts = response.flatMap((part, index) => streamParts(part, index, next));
        const queue = new ChunkQueue();
        const reader = partReader();
        const groups: ModelChunk[][] = [];
        const reading = (async () => {
          for (let group = await queue.take(); group !== null; group = await queue.take()) groups.push([...group]);
        })();
        for (const [index, part] of [...parts, FINISH].entries()) {
          reader.read(part, queue);
          if (index % next() === 0) await new Promise((resolve) => setImmediate(resolve));
        }
        queue.end();
        await reading;
        const folded = foldChunks(groups.flat());
        expect(folded.parts.map(({ text: found }) => found)).toEqual(response.map((part) => part.text));
        expect(folded.parts.map(({ kind }) => kind.replace('tool_arguments', 'call'))).toEqual(
          response.map(({ kind }) => kind),
        );
        expect(groups.every((group) => group.length > 0)).toBe(true);
      }),
      { numRuns: proofSize({ small: 100, full: 5000 }) },
    );
  });
});

function streamParts(
  { kind, text }: { kind: 'text' | 'reasoning' | 'call'; text: string },
  index: number,
  next: () => number,
): StreamPart[] {
  const id = String(index);
  const deltas: string[] = [];
  for (let from = 0; from < text.length; ) {
    const to = from + next();
    deltas.push(text.slice(from, to));
    from = to;
  }
  if (kind === 'call') {
    return [
      { type: 'tool-input-start', id, toolName: 't' },
      ...deltas.map((delta): StreamPart => ({ type: 'tool-input-delta', id, delta })),
      { type: 'tool-call', toolCallId: id, toolName: 't', input: text },
    ];
  }
  return [
    { type: `${kind}-start`, id },
    ...deltas.map((delta): StreamPart => ({ type: `${kind}-delta`, id, delta })),
    { type: `${kind}-end`, id },
  ];
}
