import { expect, onTestFinished, test } from 'vitest';
import { every, pollUntil } from '../../src/files/index.ts';

function repeat(work: () => void | Promise<void>, onError: (error: unknown) => void = () => {}) {
  const repeated = every(1, work, { onError, ref: true });
  onTestFinished(() => repeated.stop());
  return repeated;
}

test('work that throws or rejects is repeated, and equal failures are reported once', async () => {
  const reported: string[] = [];
  let rounds = 0;
  repeat(
    () => {
      rounds++;
      if (rounds <= 5) throw new Error('one');
      if (rounds <= 10) return Promise.reject(new Error('other'));
      if (rounds === 12) throw new Error('other');
    },
    (error) => reported.push((error as Error).message),
  );
  await pollUntil(() => rounds > 15, { everyMs: 1 });
  expect(reported).toEqual(['one', 'other', 'other']);
});

test('a slow round does not overlap with the next', async () => {
  let together = 0;
  let most = 0;
  let rounds = 0;
  repeat(async () => {
    most = Math.max(most, ++together);
    await new Promise((resolve) => setTimeout(resolve, 5));
    together--;
    rounds++;
  });
  await pollUntil(() => rounds > 5, { everyMs: 1 });
  expect(most).toBe(1);
});

test('stopping ends the repetition, but a throwing error handler does not', async () => {
  let rounds = 0;
  const repeated = repeat(
    () => {
      rounds++;
      throw new Error(String(rounds));
    },
    () => {
      throw new Error('the log is full');
    },
  );
  await pollUntil(() => rounds > 3, { everyMs: 1 });
  repeated.stop();
  const before = rounds;
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(rounds).toBe(before);
});
