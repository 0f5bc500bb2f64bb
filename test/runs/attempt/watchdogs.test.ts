import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startWatchdogs } from '../../../src/runs/attempt/watchdogs.ts';

describe('startWatchdogs', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function start({
    timeoutMs = null,
    noProgressMs = null,
  }: {
    timeoutMs?: number | null;
    noProgressMs?: number | null;
  }) {
    const ends: [string, number][] = [];
    const begun = Date.now();
    let lastSign = begun;
    const callOff = startWatchdogs({
      timeoutMs,
      noProgressMs,
      silentFor: () => Date.now() - lastSign,
      end: (reason) => ends.push([reason, Date.now() - begun]),
    });
    return {
      ends,
      callOff,
      sign: () => {
        lastSign = Date.now();
      },
    };
  }

  test('ends an attempt that takes too long, however much it prints', () => {
    const { ends, sign } = start({ timeoutMs: 5000, noProgressMs: 1000 });
    for (let at = 0; at < 60; at++) {
      vi.advanceTimersByTime(100);
      sign();
    }
    expect(ends).toEqual([['hard_timeout', 5000]]);
  });

  test('ends an attempt without progress soon after its limit', () => {
    const { ends, sign } = start({ noProgressMs: 2000 });
    vi.advanceTimersByTime(1500);
    sign();
    vi.advanceTimersByTime(1999);
    expect(ends).toEqual([]);
    vi.advanceTimersByTime(400);
    expect(ends).toMatchObject([['no_progress', expect.any(Number)]]);
    expect(ends[0]![1]).toBeLessThanOrEqual(3700);
  });

  test('ends an attempt only once, because a second time would shorten its grace period', () => {
    const { ends } = start({ timeoutMs: 3500, noProgressMs: 2000 });
    vi.advanceTimersByTime(60_000);
    expect(ends).toMatchObject([['no_progress', 2000]]);
    const late = start({ timeoutMs: 1000, noProgressMs: 2000 });
    vi.advanceTimersByTime(60_000);
    expect(late.ends).toEqual([['hard_timeout', 1000]]);
  });

  test('ends nothing without limits or after it was called off', () => {
    const free = start({});
    const calledOff = start({ timeoutMs: 1000, noProgressMs: 1000 });
    calledOff.callOff();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(1_000_000);
    expect([...free.ends, ...calledOff.ends]).toEqual([]);
  });
});
