import { expect, test } from 'vitest';
import type { RunView } from '../../src/protocol/index.ts';
import { emptyModel } from '../../src/record/index.ts';
import { createParseShare, percent } from '../../studio/model/parse-share.ts';
import { parsePlace } from '../../studio/model/place.ts';
import { costOf, dollars, grouped, lastedMs, shortCount, tokensOf } from '../../studio/model/run-figures.ts';
import { eventsOf } from './events.ts';

test('values that an engine does not report are unknown, not zero', () => {
  expect(tokensOf(null)).toBeNull();
  expect(tokensOf({})).toBeNull();
  expect(costOf({ input_tokens: 3 })).toBeNull();
  expect(tokensOf({ input_tokens: 200, output_tokens: 40 })).toBe(240);
  expect(tokensOf({ input_tokens: 200, output_tokens: 40, total_tokens: 250 })).toBe(250);
  expect(tokensOf({ total_tokens: 0 })).toBe(0);
});

test.each([
  [940, '940'],
  [12_340, '12.3k'],
  [99_990, '100k'],
  [999_960, '1M'],
  [4_120_000, '4.1M'],
])('formats counts: %d', (count, text) => {
  expect(shortCount(count)).toBe(text);
});

test('a clock runs while a run is running, and stops while it waits in the queue or for the user', () => {
  const at = (ms: number) => new Date(1_800_000_000_000 + ms).toISOString();
  const lasted = (status: RunView['status'], working_ms: number) => {
    const times = { started_at: at(5000), since: at(8000), queued_ms: 5000, working_ms, waiting_ms: 0 };
    return lastedMs({ status, times, created_at: at(0), updated_at: at(8000) } as RunView, Date.parse(at(10_000)));
  };
  expect(lasted('queued', 0)).toBe(0);
  expect(lasted('running', 3000)).toBe(5000);
  expect(lasted('waiting_user', 3000)).toBe(3000);
  expect(lasted('succeeded', 3000)).toBe(3000);
});

test('small amounts of money are not rounded to zero', () => {
  expect([0, 0.0021, 0.04, 12.5].map(dollars)).toEqual(['$0.00', '$0.0021', '$0.04', '$12.50']);
  expect(grouped(9800)).toBe('9\u202f800');
});

test.each([
  ['412', { kind: 'seq', seq: 412 }],
  ['#7', { kind: 'seq', seq: 7 }],
  ['2:14', { kind: 'time', ms: 134_000 }],
  ['1:02:14.5', { kind: 'time', ms: 3_734_500 }],
  ['90 s', { kind: 'time', ms: 90_000 }],
  ['0', null],
  ['soon', null],
  ['2:1', null],
])('parses a position: %s', (text, place) => {
  expect(parsePlace(text)).toEqual(place);
});

test('bytes of several events are counted once', () => {
  const range = (byte_from: number, byte_to: number) => ({
    attempt_number: 1,
    stream: 'stdout' as const,
    byte_from,
    byte_to,
  });
  const events = eventsOf([
    ['agent.message.delta', { message_id: 'm', text: 'a' }],
    ['raw.stdout', { text: 'x', lines: 1 }],
    ['agent.message.final', { message_id: 'm', text: 'ab' }],
  ]);
  const refs = [range(0, 60), range(60, 80), [range(0, 60), range(80, 100)]];
  const model = emptyModel();
  const count = createParseShare();
  expect(count(model)).toBeNull();
  events.forEach((event, index) => {
    model.events.push({ ...event, raw_ref: refs[index]!, source: { ...event.source, parser: 'demo_ndjson' } });
  });
  expect(count(model)).toEqual({ parser: 'demo_ndjson', structured: 80, raw: 20 });
  expect(count(model)).toEqual({ parser: 'demo_ndjson', structured: 80, raw: 20 });
});

test('a share is 100 % only if nothing is missing', () => {
  const of = (part: number) => percent(part, 10_000);
  expect([0, 1, 5000, 9999, 10_000].map(of)).toEqual(['0', '1', '50', '99', '100'].map((text) => `${text}\u202f%`));
});
