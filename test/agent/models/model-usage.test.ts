import type { LanguageModelV3Usage } from '@ai-sdk/provider';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { modelUsage } from '../../../src/agent/models/model-usage.ts';

const reported = (input: object, output: object = {}, raw?: object) =>
  ({ inputTokens: input, outputTokens: output, raw }) as unknown as LanguageModelV3Usage;

describe('modelUsage', () => {
  it.each([
    [
      reported({ total: 10, noCache: 7, cacheRead: 3 }, { total: 5 }),
      { input_tokens: 7, cached_input_tokens: 3, output_tokens: 5, total_tokens: 15 },
    ],
    [
      reported({ total: 10, cacheRead: 3, cacheWrite: 2 }, { total: 5 }),
      { input_tokens: 5, cached_input_tokens: 3, cache_write_tokens: 2, output_tokens: 5, total_tokens: 15 },
    ],
    [
      reported({ total: 10 }, { total: 5, reasoning: 4 }),
      { input_tokens: 10, output_tokens: 5, reasoning_tokens: 4, total_tokens: 15 },
    ],
    [
      reported({ total: 10 }, { total: 5, reasoning: 4 }, { total_tokens: 15 }),
      { input_tokens: 10, output_tokens: 5, reasoning_tokens: 4, total_tokens: 15 },
    ],
    [
      reported({ total: 10 }, { total: 5, reasoning: 4 }, { total_tokens: 19 }),
      { input_tokens: 10, output_tokens: 9, reasoning_tokens: 4, total_tokens: 19 },
    ],
    [reported({}, { total: 5 }), { input_tokens: 0, output_tokens: 5, total_tokens: 5 }],
    [reported({ total: Number.NaN }, { total: -1 }), null],
    [reported({}), null],
    [undefined, null],
  ])('%j', (usage, expected) => {
    expect(modelUsage(usage)).toEqual(expected);
  });

  it('never counts a token twice', () => {
    const tokens = fc.option(fc.nat(1_000_000), { nil: undefined });
    fc.assert(
      fc.property(tokens, tokens, tokens, tokens, tokens, (total, noCache, cacheRead, cacheWrite, output) => {
        const usage = modelUsage(reported({ total, noCache, cacheRead, cacheWrite }, { total: output }));
        if (usage === null) return;
        const { input_tokens = 0, cached_input_tokens = 0, cache_write_tokens = 0, output_tokens = 0 } = usage;
        expect(usage.total_tokens).toBe(input_tokens + cached_input_tokens + cache_write_tokens + output_tokens);
        expect(input_tokens).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
