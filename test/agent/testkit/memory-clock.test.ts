import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/agent/clock.ts';
import { memoryClock, seededRandom, sequentialIds } from '../../../src/agent/testkit/index.ts';

const NEVER = new AbortController().signal;

describe('memoryClock', () => {
  it('stands still until it is moved on, and wakes sleepers in order', async () => {
    const clock = memoryClock({ start: 1000 });
    const woken: string[] = [];
    const sleep = async (name: string, ms: number) => {
      await clock.sleep(ms, NEVER);
      woken.push(`${name} ${clock.now()}`);
    };
    void sleep('late', 50).then(() => sleep('again', 20));
    void sleep('early', 10);
    expect(clock.sleeping).toBe(2);
    await clock.advance(9);
    expect(woken).toEqual([]);
    await clock.advance(91);
    expect(woken).toEqual(['early 1010', 'late 1050', 'again 1070']);
    expect(clock.now()).toBe(1100);
    expect(clock.sleeping).toBe(0);
  });

  it('tells when enough are asleep', async () => {
    const clock = memoryClock();
    const both = clock.untilSleeping(2);
    void clock.sleep(1, NEVER);
    await clock.untilSleeping();
    void clock.sleep(1, NEVER);
    await both;
    expect(clock.now()).toBe(Date.parse('2026-01-01T00:00:00Z'));
    await clock.advance(1);
  });

  it('ends a sleep when the signal aborts', async () => {
    const clock = memoryClock();
    const abort = new AbortController();
    const sleeping = clock.sleep(10, abort.signal);
    abort.abort(new Error('woken'));
    await expect(sleeping).rejects.toThrow('woken');
    await expect(clock.sleep(10, abort.signal)).rejects.toThrow('woken');
    expect(clock.sleeping).toBe(0);
  });

  it('moves on by itself when told so', async () => {
    const clock = memoryClock({ start: 0, auto: true });
    await clock.sleep(500, NEVER);
    await clock.sleep(0, NEVER);
    expect(clock.now()).toBe(500);
  });
});

describe('systemClock', () => {
  it('sleeps, and rejects with the reason of the signal', async () => {
    const before = systemClock.now();
    await systemClock.sleep(5, NEVER);
    expect(systemClock.now()).toBeGreaterThanOrEqual(before);
    await systemClock.sleep(-1, NEVER);
    const abort = new AbortController();
    // Longer than a timer can be: it must not end at once.
    const sleeping = systemClock.sleep(2 ** 32, abort.signal);
    abort.abort(new Error('woken'));
    await expect(sleeping).rejects.toThrow('woken');
    await expect(systemClock.sleep(0, abort.signal)).rejects.toThrow('woken');
  });
});

describe('ids and random numbers of tests', () => {
  it('are the same every time', () => {
    const ids = sequentialIds();
    expect([ids('run'), ids('run'), ids('approval'), ids()]).toEqual([
      'run_0001',
      'run_0002',
      'approval_0001',
      'id_0001',
    ]);
    const [one, other, another] = [seededRandom(7), seededRandom(7), seededRandom(8)];
    const numbers = Array.from({ length: 1000 }, one);
    expect(numbers).toEqual(Array.from({ length: 1000 }, other));
    expect(numbers[0]).not.toBe(another());
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
    expect(new Set(numbers).size).toBeGreaterThan(990);
  });
});
