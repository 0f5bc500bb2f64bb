import { expect, test } from 'vitest';
import { pollUntil } from '../../src/files/index.ts';

test('returns the first value that is not null, undefined or false', async () => {
  const values = [null, undefined, false, 0];
  expect(await pollUntil(() => values.shift(), { everyMs: 1 })).toBe(0);
  expect(values).toEqual([]);
  expect(await pollUntil(() => Promise.resolve('now'), { everyMs: 1, timeoutMs: 0 })).toBe('now');
});

test('returns null after the timeout, and looks at least once', async () => {
  let looks = 0;
  expect(await pollUntil(() => ++looks < 0, { everyMs: 1, timeoutMs: 20 })).toBeNull();
  expect(looks).toBeGreaterThan(1);
  looks = 0;
  expect(await pollUntil(() => ++looks < 0, { everyMs: 1, timeoutMs: 0 })).toBeNull();
  expect(looks).toBe(1);
});

test('rejects with the error of the look', async () => {
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
