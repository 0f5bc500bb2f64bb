import { describe, expect, test } from 'vitest';
import {
  beginUsage,
  NO_USAGE,
  reportUsage,
  totalTokens,
  totalUsage,
  type Usage,
  type UsageTally,
} from '../../src/protocol/index.ts';

interface Attempt {
  resumed: boolean;
  reports: { usage?: Usage; session_usage?: Usage }[];
}

function tallyOf(attempts: Attempt[]): UsageTally {
  return attempts.reduce(
    (tally, { resumed, reports }, at) => reports.reduce(reportUsage, beginUsage(tally, at + 1, { resumed })),
    NO_USAGE,
  );
}

describe('the usage of a run', () => {
  test('is the sum of the last report of each attempt', () => {
    const reports = (...amounts: number[]) => amounts.map((input_tokens) => ({ usage: { input_tokens } }));
    const tally = tallyOf([
      { resumed: false, reports: reports(100, 180) },
      { resumed: true, reports: reports(89) },
    ]);
    expect(totalUsage(tally)).toEqual({ input_tokens: 269 });
    expect(tally.own).toEqual({ input_tokens: 89 });
  });

  test('counts session totals once, and starts again with a new session', () => {
    const report = (input_tokens: number) => ({ session_usage: { input_tokens } });
    const resumed = tallyOf([
      { resumed: false, reports: [report(100)] },
      { resumed: true, reports: [report(150), report(200)] },
    ]);
    expect([totalUsage(resumed), resumed.own]).toEqual([{ input_tokens: 200 }, { input_tokens: 100 }]);
    const anew = tallyOf([
      { resumed: false, reports: [report(100)] },
      { resumed: false, reports: [report(60)] },
      { resumed: true, reports: [report(90)] },
    ]);
    expect([totalUsage(anew), anew.own]).toEqual([{ input_tokens: 190 }, { input_tokens: 30 }]);
  });

  test('adds tokens per attempt and cost per session, each by its own scope', () => {
    const report = (input_tokens: number, cost_usd: number) => ({
      usage: { input_tokens },
      session_usage: { cost_usd },
    });
    const tally = tallyOf([
      { resumed: false, reports: [report(10, 0.1)] },
      { resumed: true, reports: [report(20, 0.3)] },
    ]);
    expect(totalUsage(tally)).toEqual({ input_tokens: 30, cost_usd: 0.3 });
    expect(tally.own).toEqual({ input_tokens: 20, cost_usd: 0.2 });
  });

  test('treats a session total that decreased as this attempt’s own', () => {
    const tally = tallyOf([
      { resumed: false, reports: [{ session_usage: { output_tokens: 50 } }] },
      { resumed: true, reports: [{ session_usage: { output_tokens: 20 } }] },
    ]);
    expect(totalUsage(tally)).toEqual({ output_tokens: 70 });
  });

  test('counts a session anew that grew by less than the attempt itself used', () => {
    const report = (own: number, session: number, cost_usd: number) => ({
      usage: { total_tokens: own },
      session_usage: { total_tokens: session, cost_usd },
    });
    const anew = tallyOf([
      { resumed: false, reports: [report(120, 120, 0.5)] },
      { resumed: true, reports: [report(120, 120, 0.5)] },
    ]);
    expect([totalUsage(anew), anew.own]).toEqual([
      { total_tokens: 240, cost_usd: 1 },
      { total_tokens: 120, cost_usd: 0.5 },
    ]);
    const continued = tallyOf([
      { resumed: false, reports: [report(120, 150, 0.5)] },
      { resumed: true, reports: [report(120, 290, 0.9)] },
    ]);
    expect([totalUsage(continued), continued.own]).toEqual([
      { total_tokens: 290, cost_usd: 0.9 },
      { total_tokens: 140, cost_usd: 0.4 },
    ]);
  });

  test('adds the amounts of each model, and does not change in an attempt without a report', () => {
    const models = (tokens: number) => ({ usage: { models: { small: { tokens } } } as Usage });
    const tally = tallyOf([
      { resumed: false, reports: [models(3)] },
      { resumed: true, reports: [models(4)] },
      { resumed: true, reports: [] },
    ]);
    expect(totalUsage(tally)).toEqual({ models: { small: { tokens: 7 } } });
    expect(tally.own).toBeNull();
  });
});

describe('totalTokens', () => {
  test.each<[string, Usage, number | null]>([
    ['the reported total', { input_tokens: 1, cached_input_tokens: 5, output_tokens: 2, total_tokens: 8 }, 8],
    ['input and output in a record without a total', { input_tokens: 1, output_tokens: 2 }, 3],
    ['nothing where only the cost is known', { cost_usd: 1 }, null],
  ])('is %s', (_what, usage, tokens) => expect(totalTokens(usage)).toBe(tokens));
});
