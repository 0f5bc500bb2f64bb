import { describe, expect, test } from 'vitest';
import { billedUsage } from '../../src/engines/billed-usage.ts';
import { engineOf } from '../../src/engines/index.ts';
import { NO_USAGE, type RaspData, type RaspDraft, totalTokens, type Usage } from '../../src/protocol/index.ts';
import { isOverBudget } from '../../src/runs/attempt/watchdogs.ts';
import { parserContext, readLogs, summarize } from './read-log.ts';

const lines = (...events: unknown[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');
const read = (engine: string, ...events: unknown[]) =>
  readLogs(engineOf(engine).parser.create(parserContext(engine)), { stdout: lines(...events) });

describe('billedUsage', () => {
  test.each<[string, Parameters<typeof billedUsage>, Usage]>([
    [
      'adds cache reads and cache writes to the total',
      [{ input_tokens: 18, cache_write_tokens: 29_690, cached_input_tokens: 34_984, output_tokens: 234 }],
      {
        input_tokens: 18,
        cache_write_tokens: 29_690,
        cached_input_tokens: 34_984,
        output_tokens: 234,
        total_tokens: 64_926,
      },
    ],
    [
      'takes cache reads and writes out of the input that holds them',
      [
        { input_tokens: 100, cached_input_tokens: 60, cache_write_tokens: 30, output_tokens: 10 },
        { cachedInInput: true },
      ],
      { input_tokens: 10, cached_input_tokens: 60, cache_write_tokens: 30, output_tokens: 10, total_tokens: 110 },
    ],
    [
      'adds thoughts to the output that lacks them',
      [{ input_tokens: 10, output_tokens: 4, reasoning_tokens: 2 }, { reasoningApart: true }],
      { input_tokens: 10, output_tokens: 6, reasoning_tokens: 2, total_tokens: 16 },
    ],
    [
      'keeps a higher total of the engine',
      [{ input_tokens: 1, output_tokens: 1, total_tokens: 9 }],
      { input_tokens: 1, output_tokens: 1, total_tokens: 9 },
    ],
    [
      'replaces a total that lacks something',
      [{ input_tokens: 1, cached_input_tokens: 5, output_tokens: 1, total_tokens: 2 }],
      { input_tokens: 1, cached_input_tokens: 5, output_tokens: 1, total_tokens: 7 },
    ],
    ['makes no tokens of a cost', [{ cost_usd: 1 }], { cost_usd: 1 }],
  ])('%s', (_title, given, expected) => expect(billedUsage(...given)).toEqual(expected));
});

/** One call of 100 tokens of input, 60 of them from a cache, and 20 of output, as each engine reports it. */
const CALL: Readonly<Record<string, unknown[]>> = {
  codex: [{ type: 'turn.completed', usage: { input_tokens: 100, cached_input_tokens: 60, output_tokens: 20 } }],
  gemini: [
    {
      type: 'result',
      status: 'success',
      stats: { input_tokens: 100, cached: 60, output_tokens: 20, total_tokens: 120 },
    },
  ],
  claude: [
    {
      type: 'result',
      subtype: 'success',
      is_error: false,
      usage: { input_tokens: 40, cache_read_input_tokens: 60, output_tokens: 20 },
    },
  ],
  qwen: [
    {
      type: 'result',
      subtype: 'success',
      is_error: false,
      usage: { input_tokens: 100, cache_read_input_tokens: 60, output_tokens: 20, total_tokens: 120 },
    },
  ],
  opencode: [
    {
      type: 'step_finish',
      timestamp: 1,
      sessionID: 's',
      part: { type: 'step-finish', reason: 'stop', tokens: { input: 40, output: 20, cache: { read: 60, write: 0 } } },
    },
  ],
  pi: [
    {
      type: 'message_end',
      message: {
        role: 'assistant',
        content: [],
        usage: { input: 40, output: 20, cacheRead: 60, cacheWrite: 0, totalTokens: 120 },
      },
    },
  ],
};

test.each(Object.keys(CALL))('%s reports a call with cached input in the same words as the others', (engine) => {
  expect(summarize(read(engine, ...CALL[engine]!)).usage).toMatchObject({
    input_tokens: 40,
    cached_input_tokens: 60,
    output_tokens: 20,
    total_tokens: 120,
  });
});

test.each([
  ['thoughts beside the output', { total: 120, output: 15, reasoning: 5 }, 20],
  ['thoughts as a part of the output', { total: 120, output: 20, reasoning: 5 }, 20],
  ['no total', { output: 20, reasoning: 5 }, 20],
])('opencode counts %s', (_how, tokens, output_tokens) => {
  const part = { type: 'step-finish', reason: 'stop', tokens: { input: 40, cache: { read: 60, write: 0 }, ...tokens } };
  const step = { type: 'step_finish', timestamp: 1, sessionID: 's', part };
  expect(summarize(read('opencode', step)).usage).toMatchObject({ output_tokens, total_tokens: 120 });
});

describe('a token budget', () => {
  /** Those with usage, up to the one that exceeds the budget. */
  const reportedUntil = (drafts: readonly RaspDraft[], total_tokens: number) => {
    const known = drafts.filter(({ data }) => (data as RaspData<'lifecycle.run.status'>).usage);
    const at = known.findIndex((draft) => isOverBudget({ drafts: [draft], usage: NO_USAGE }, { total_tokens }));
    return known
      .slice(0, at + 1)
      .map(({ data }) => totalTokens((data as RaspData<'lifecycle.run.status'>).usage as Usage));
  };

  test('ends claude at the call that exceeds it, cached input included', () => {
    const piece = (event: unknown) => ({ type: 'stream_event', event, parent_tool_use_id: null, session_id: 's' });
    const call = (id: string) => [
      piece({
        type: 'message_start',
        message: { id, usage: { input_tokens: 5, cache_read_input_tokens: 80, output_tokens: 1 } },
      }),
      piece({ type: 'message_delta', delta: {}, usage: { output_tokens: 15 } }),
    ];
    const drafts = read('claude', ...call('a'), ...call('b'), ...call('c'));
    expect(reportedUntil(drafts, 150)).toEqual([100, 200]);
    expect(reportedUntil(drafts, 1000)).toEqual([]);
  });

  test('ends qwen at the call that exceeds it', () => {
    const call = (id: string) => ({
      type: 'assistant',
      session_id: 's',
      message: {
        id,
        role: 'assistant',
        content: [{ type: 'text', text: id }],
        usage: { input_tokens: 85, cache_read_input_tokens: 80, output_tokens: 15, total_tokens: 100 },
      },
    });
    expect(reportedUntil(read('qwen', call('a'), call('b'), call('c')), 150)).toEqual([100, 200]);
  });
});
