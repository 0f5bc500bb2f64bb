import { expect, test } from 'vitest';
import { pollUntil } from '../../src/files/index.ts';

test('returns the first value that is not null, undefined or false', async () => {
  const values = [null, undefined, false, 0];
  expect(await pollUntil(() => values.shift(), { everyMs: 1 })).toBe(0);
  expect(values).toEqual([]);
  expect(await pollUntil(() => Promise.resolve('now'), { everyMs: 1, timeoutMs: 0 })).toBe('now');
});

test('returns null after the timeout, and polls at least once', async () => {
  let looks = 0;
  expect(await pollUntil(() => ++looks < 0, { everyMs: 1, timeoutMs: 20 })).toBeNull();
  expect(looks).toBeGreaterThan(1);
  looks = 0;
  expect(await pollUntil(() => ++looks < 0, { everyMs: 1, timeoutMs: 0 })).toBeNull();
  expect(looks).toBe(1);
});

test('rejects with the error of the poll', async () => {
  const look = () => {
    throw new Error('no such thing');
  };
  await expect(pollUntil(look, { everyMs: 1 })).rejects.toThrow('no such thing');
});

test('rejects with the reason of the signal, before and during a pause', async () => {
  const ending = new AbortController();
  let looks = 0;
  const polling = pollUntil(() => ++looks < 0, { everyMs: 3_600_000, signal: ending.signal });
  ending.abort(new Error('the run has ended'));
  await expect(polling).rejects.toThrow('the run has ended');
  await expect(pollUntil(() => ++looks < 0, { everyMs: 1, signal: ending.signal })).rejects.toThrow(
    'the run has ended',
  );
  expect(looks).toBe(1);
});

test('polls again on a change, also on one during a poll, and stops the watch', async () => {
  const steps = ['nothing yet', 'before the watch', 'during the poll', 'after a change', 'done'];
  let tell = () => {};
  let watches = 0;
  const seen: string[] = [];
  const polling = pollUntil(
    async () => {
      const step = steps.shift()!;
      seen.push(step);
      if (step === 'during the poll') tell();
      if (step === 'after a change') setImmediate(tell);
      await Promise.resolve();
      return step === 'done';
    },
    {
      everyMs: 3_600_000,
      watch(changed) {
        watches++;
        tell = changed;
        setImmediate(changed);
        return { stop: () => void watches-- };
      },
    },
  );
  expect(await polling).toBe(true);
  expect(seen).toEqual(['nothing yet', 'before the watch', 'during the poll', 'after a change', 'done']);
  expect(watches).toBe(0);
});

test('starts no watch if the first poll succeeds', async () => {
  const watch = () => {
    throw new Error('needless');
  };
  expect(await pollUntil(() => 'there', { everyMs: 1, watch })).toBe('there');
});
