import { expect, test } from 'vitest';
import { guessStreams } from '../../../src/recording/trace/guess-streams.ts';

function guess(texts: string[], taken: ('stdout' | 'stderr')[] = []) {
  return guessStreams(texts, new Set(taken)).map(({ stream }) => stream);
}

test.each([
  ['a document', '{\n  "a": 1\n}\n'],
  ['lines', '{"a":1}\n{"b":2}\n'],
  ['lines with a truncated last one', '{"a":1}\n{"b":'],
])('the only descriptor that writes JSON (%s) is stdout', (_what, json) => {
  expect(guess(['warning\n', json])).toEqual(['stderr', 'stdout']);
  expect(guess([json, 'warning\n'])).toEqual(['stdout', 'stderr']);
});

test('numbers and words do not count as JSON', () => {
  expect(guess(['1\n', '2\n'])).toEqual(['stdout', 'stderr']);
  expect(guess(['"word"\n', 'other\n'])).toEqual(['stdout', 'stderr']);
});

test('otherwise the first one gets the free stream', () => {
  expect(guess(['a', 'b'])).toEqual(['stdout', 'stderr']);
  expect(guess(['{"a":1}\n', '{"b":1}\n'])).toEqual(['stdout', 'stderr']);
  expect(guess(['a'], ['stdout'])).toEqual(['stderr']);
  expect(guess(['a'], ['stderr'])).toEqual(['stdout']);
  expect(guess(['a', 'b', 'c'])).toEqual(['stdout', 'stderr', 'stdout']);
  expect(guess(['a'], ['stdout', 'stderr'])).toEqual(['stdout']);
});
