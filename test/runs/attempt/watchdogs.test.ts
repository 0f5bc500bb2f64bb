import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { RaspDraft, RaspType } from '../../../src/protocol/index.ts';
import { isOnlyRetry, startWatchdogs } from '../../../src/runs/attempt/watchdogs.ts';
import { raspEvent } from '../../protocol/samples.ts';

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

describe('isOnlyRetry', () => {
  const draft = (type: RaspType, data?: object): RaspDraft => raspEvent(type, data ? { data } : {});
  const retry = draft('diagnostic.engine.error', { code: 'ENGINE_RETRY', message: 'again', severity: 'warning' });
  const error = draft('diagnostic.engine.error');
  const raw = draft('raw.stderr');

  test.each<[string, RaspDraft[], boolean]>([
    ['a retry is not progress', [retry], true],
    ['several retries are not progress', [retry, retry], true],
    ['output in addition to a retry is not progress', [raw, retry, raw], true],
    ['a message in addition to a retry is progress', [retry, draft('agent.message.delta')], false],
    ['another error is progress: the engine continues after it', [retry, error], false],
    ['unrecognised output is progress', [raw], false],
    ['bytes without an event yet are progress', [], false],
  ])('%s', (_title, drafts, expected) => expect(isOnlyRetry(drafts)).toBe(expected));
});
