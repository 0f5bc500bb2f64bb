import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatByteSize, parseByteSize } from '../../src/config/index.ts';
import { failure } from './workspace.ts';

describe('parseByteSize', () => {
  test.each([
    ['0', 0],
    ['512', 512],
    ['512B', 512],
    ['10kB', 10_000],
    ['10 KB', 10_000],
    ['10KiB', 10_240],
    ['64MiB', 67_108_864],
    ['64mib', 67_108_864],
    [' 1.5GiB ', 1_610_612_736],
    ['0.1MiB', 104_858],
    ['2TB', 2_000_000_000_000],
  ])('reads %j as %d bytes', (text, bytes) => {
    expect(parseByteSize(text)).toBe(bytes);
  });

  test.each([
    ['64M', '"64M" is ambiguous: write 64MB or 64MiB'],
    ['10k', '"10k" is ambiguous: write 10kB or 10KiB'],
    ['', '"" is not a size such as 512, 10kB, 64MiB or 1.5GiB'],
    ['-1', '"-1" is not a size such as 512, 10kB, 64MiB or 1.5GiB'],
    ['5 parsecs', '"5 parsecs" is not a size such as 512, 10kB, 64MiB or 1.5GiB'],
    ['1e3', '"1e3" is not a size such as 512, 10kB, 64MiB or 1.5GiB'],
    ['9999999TiB', '"9999999TiB" is too large'],
  ])('refuses %j and says why', (text, message) => {
    const error = failure(() => parseByteSize(text));
    expect([error.code, error.message]).toEqual(['CONFIG_INVALID', message]);
  });

  test('parses the output of formatByteSize', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.constantFrom(1, 1000, 1024, 2 ** 20, 1e9), (count, unit) => {
        const bytes = (count % 4_000_000) * unit;
        expect(parseByteSize(formatByteSize(bytes))).toBe(bytes);
      }),
    );
  });

  // With a backtracking expression, each of these would take hours.
  test('refuses hostile text', () => {
    for (const text of [`1${' '.repeat(1e6)}!`, '1'.repeat(1e6), 'a'.repeat(1e6)]) failure(() => parseByteSize(text));
  });
});
