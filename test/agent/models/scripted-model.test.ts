import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  call,
  fail,
  finish,
  type ModelRequest,
  say,
  scriptedModel,
  think,
  wait,
} from '../../../src/agent/models/index.ts';
import { proofSize } from '../../support/proof-size.ts';
import { failureOf, foldChunks, groupsOf, responseOf, userRequest } from './collect.ts';

describe('scriptedModel', () => {
  it('plays one turn after the other', async () => {
    const model = scriptedModel([
      [think('Hm.'), say('I will look.'), call('shell_command', { command: 'ls' }), call('shell_command', '{broken')],
      'Done.',
    ]);
    expect(model.id).toBe('scripted:model');
    expect(await groupsOf(model)).toHaveLength(1);
    const again = scriptedModel([[think('Hm.'), call('a'), call('b', { x: 1 }, { id: 'mine' })], 'Done.']);
    expect(await responseOf(again)).toEqual({
      parts: [
        { kind: 'reasoning', text: 'Hm.' },
        { kind: 'tool_arguments', call_id: 'call_1_1', name: 'a', text: '{}' },
        { kind: 'tool_arguments', call_id: 'mine', name: 'b', text: '{"x":1}' },
      ],
      finish: {
        type: 'finish',
        finish_reason: 'tool_calls',
        usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
      },
    });
    expect((await responseOf(again)).parts).toEqual([{ kind: 'text', text: 'Done.' }]);
  });

  it('fails clearly when it has no turn left', async () => {
    const model = scriptedModel([say('One')]);
    await responseOf(model);
    expect(await failureOf(model)).toMatchObject({
      error: {
        kind: 'invalid_request',
        retryable: false,
        message: expect.stringContaining('the script has only 1 turn,'),
      },
    });
  });

  it('asks a function for each turn, with the request and its number', async () => {
    const model = scriptedModel(async (request, n) => `${n}: ${request.prompt.length}`);
    expect((await responseOf(model)).parts[0]?.text).toBe('0: 2');
    expect((await responseOf(model, { prompt: [], tools: [] })).parts[0]?.text).toBe('1: 0');
  });

  it('finds its place by the prompt when told so, so another process can continue', async () => {
    const turns = [call('a'), call('b'), 'end'];
    const answered: ModelRequest = {
      tools: [],
      prompt: [
        { role: 'assistant', content: [] },
        { role: 'tool', content: [] },
      ],
    };
    const resumed = scriptedModel(turns, { position: 'prompt' });
    for (let n = 0; n < 2; n++) {
      expect((await responseOf(resumed, answered)).parts).toMatchObject([{ name: 'b', call_id: 'call_2_1' }]);
    }
  });

  it('ends a turn as told', async () => {
    const usage = { input_tokens: 5, output_tokens: 2, total_tokens: 7 };
    const model = scriptedModel([
      [say('cut'), finish('length', usage)],
      [say('x'), finish(undefined, null)],
    ]);
    expect((await responseOf(model)).finish).toEqual({ type: 'finish', finish_reason: 'length', usage });
    expect((await responseOf(model)).finish).toEqual({ type: 'finish', finish_reason: 'stop', usage: null });
  });

  it('fails as told, after what came before', async () => {
    const model = scriptedModel([
      fail({ kind: 'rate_limited', retryable: true, retry_after_ms: 5 }),
      [say('half'), fail({ kind: 'network', message: 'cable pulled' })],
    ]);
    expect(await failureOf(model)).toMatchObject({
      name: 'ModelFailure',
      error: {
        kind: 'rate_limited',
        status: null,
        message: 'scripted failure: rate_limited',
        retryable: true,
        retry_after_ms: 5,
      },
    });
    const groups: unknown[] = [];
    const reading = (async () => {
      for await (const group of model.stream(userRequest('Go'), new AbortController().signal)) groups.push(group);
    })();
    await expect(reading).rejects.toThrow('cable pulled');
    expect(groups).toEqual([[{ type: 'delta', kind: 'text', part: 0, text: 'half' }]]);
  });

  it('waits where told, and stops when the signal aborts', async () => {
    const abort = new AbortController();
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const model = scriptedModel([[say('before'), wait(() => gate), say('after')], [say('abc', { pieces: 1 })]]);
    const groups = model.stream(userRequest('Go'), abort.signal)[Symbol.asyncIterator]();
    expect((await groups.next()).value).toMatchObject([{ text: 'before' }]);
    release();
    expect((await groups.next()).value).toMatchObject([{ text: 'after' }, { type: 'finish' }]);
    expect((await groups.next()).done).toBe(true);
    const stopped = model.stream(userRequest('Go'), abort.signal)[Symbol.asyncIterator]();
    expect((await stopped.next()).value).toMatchObject([{ text: 'a' }]);
    abort.abort(new Error('enough'));
    await expect(stopped.next()).rejects.toThrow('enough');
  });

  it('keeps requests only when told so, as they were at the time', async () => {
    const silent = scriptedModel(['a']);
    await responseOf(silent);
    expect(silent.requests).toEqual([]);
    const model = scriptedModel(['a', 'b'], { record: true, id: 'mine' });
    const prompt = [...userRequest('Go').prompt];
    await responseOf(model, { prompt, tools: [] });
    prompt.push({ role: 'user', content: [] });
    await responseOf(model, { prompt, tools: [] });
    expect(model.requests.map((request) => request.prompt.length)).toEqual([2, 3]);
    expect(model.requests[1]!.prompt[0]).toBe(prompt[0]);
    expect(model.id).toBe('mine');
  });

  it('rejects what is not a script', () => {
    expect(() => scriptedModel('Hello' as never)).toThrow(expect.objectContaining({ code: 'MODEL_INVALID' }));
  });

  it('streams the same text in pieces of any size, without cutting a character in two', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 9 }), async (text, pieces) => {
        const model = scriptedModel([[say(text, { pieces }), call('t', { text }, { pieces, meta: { p: { a: 1 } } })]]);
        const chunks = (await groupsOf(model)).flat();
        const { parts } = foldChunks(chunks);
        expect(parts[0]!.text).toBe(text);
        expect(JSON.parse(parts[1]!.text)).toEqual({ text });
        expect(parts[1]!.meta).toEqual({ p: { a: 1 } });
        for (const chunk of chunks)
          if (chunk.type === 'delta') expect(() => encodeURIComponent(chunk.text)).not.toThrow();
      }),
      { numRuns: proofSize({ small: 100, full: 5000 }) },
    );
  });
});
