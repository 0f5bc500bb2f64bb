import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatDuration, parseDuration } from '../../src/config/index.ts';
import { failure } from './workspace.ts';

describe('parseDuration', () => {
  test.each([
    ['250ms', 250],
    ['30s', 30_000],
    ['1.5s', 1500],
    ['1.1s', 1100],
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['1h 30m', 5_400_000],
    [' 2d3h4m5s6ms ', 183_845_006],
    ['90m', 5_400_000],
    ['0', 0],
    ['0s', 0],
    ['0.4ms', 0],
  ])('reads %j as %d ms', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  test.each([
    ['30', '"30" needs a unit: 30s or 30ms, for example'],
    ['1.5', '"1.5" needs a unit: 1.5s or 1.5ms, for example'],
    ['', '"" is not a duration such as 250ms, 30s, 5m or 1h30m'],
    ['   ', '"   " is not a duration such as 250ms, 30s, 5m or 1h30m'],
    ['soon', '"soon" is not a duration such as 250ms, 30s, 5m or 1h30m'],
    ['-5s', '"-5s" is not a duration such as 250ms, 30s, 5m or 1h30m'],
    ['5 s', '"5 s" is not a duration such as 250ms, 30s, 5m or 1h30m'],
    ['5S', '"5S" is not a duration such as 250ms, 30s, 5m or 1h30m'],
    ['5s3', '"5s3" is not a duration such as 250ms, 30s, 5m or 1h30m'],
    ['30m1h', '"30m1h" has its units out of order: days, hours, minutes, seconds, ms'],
    ['1s1s', '"1s1s" has its units out of order: days, hours, minutes, seconds, ms'],
    ['999999999999d', '"999999999999d" is too long'],
  ])('refuses %j and says why', (text, message) => {
    const error = failure(() => parseDuration(text));
    expect([error.code, error.message]).toEqual(['CONFIG_INVALID', message]);
  });

  test('parses the output of formatDuration', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 45 }), (milliseconds) => {
        expect(parseDuration(formatDuration(milliseconds))).toBe(milliseconds);
      }),
    );
  });

  test('returns a number or throws a TachoError for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[\d.\s]{0,9}[dhms]{0,3}$/)), (text) => {
        const milliseconds = numberOrNothing(() => parseDuration(text));
        if (milliseconds !== undefined) expect(Number.isSafeInteger(milliseconds) && milliseconds >= 0).toBe(true);
      }),
    );
    // With a backtracking expression, each of these would take hours.
    for (const text of ['1'.repeat(1e6), `1${' '.repeat(1e6)}!`, '1s'.repeat(5e5)]) failure(() => parseDuration(text));
  });
});

function numberOrNothing(read: () => number): number | undefined {
  try {
    return read();
  } catch (error) {
    expect(error).toHaveProperty('code', 'CONFIG_INVALID');
    return undefined;
  }
}
