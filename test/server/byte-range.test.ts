import { expect, test } from 'vitest';
import { parseRange } from '../../src/server/raw/byte-range.ts';

test.each([
  ['bytes=0-0', { from: 0, to: 1 }],
  ['bytes=2-5', { from: 2, to: 6 }],
  ['bytes=2-', { from: 2, to: 10 }],
  ['bytes=2-999', { from: 2, to: 10 }],
  ['bytes=-3', { from: 7, to: 10 }],
  ['bytes=-999', { from: 0, to: 10 }],
  ['bytes= 2 - 5', { from: 2, to: 6 }],
  ['bytes=9-9', { from: 9, to: 10 }],
  ['bytes=10-', 'unsatisfiable'],
  ['bytes=10-12', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  // Not a range, or several: the whole file is sent.
  ['bytes=5-2', null],
  ['bytes=-', null],
  ['bytes=', null],
  ['bytes=a-b', null],
  ['lines=0-5', null],
  ['bytes=0-1,4-5', null],
  [`bytes=0-${'9'.repeat(40)}`, null],
  [undefined, null],
] as const)('%s of ten bytes', (header, expected) => {
  expect(parseRange(header, 10)).toEqual(expected);
});

test('an empty file has no range', () => {
  expect(parseRange('bytes=0-', 0)).toBe('unsatisfiable');
  expect(parseRange('bytes=-5', 0)).toBe('unsatisfiable');
});
