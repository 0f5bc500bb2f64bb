import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../clock.ts';

export interface MemoryClock extends Clock {
  /** Moves the time on. Everything that sleeps until then wakes in order, and may sleep again. */
  advance(ms: number): Promise<void>;
  /** How many are asleep. */
  readonly sleeping: number;
  /** Resolves as soon as at least `count` are asleep. */
  untilSleeping(count?: number): Promise<void>;
}

export interface MemoryClockOptions {
  /** Milliseconds since 1970, or a date; the beginning of 2026 by default. */
  start?: number | string;
  /** Time passes by itself: a sleep moves it on and ends at once. */
  auto?: boolean;
}

interface Sleeper {
  wakeAt: number;
  wake(): void;
}

/** How often the event loop turns for those who were woken, before the time moves on. */
const TURNS_AFTER_WAKE = 3;

/** A clock that stands still until it is moved on. */
export function memoryClock({ start = '2026-01-01T00:00:00Z', auto = false }: MemoryClockOptions = {}): MemoryClock {
  let now = new Date(start).getTime();
  const sleepers = new Set<Sleeper>();
  const watchers = new Set<{ count: number; notify(): void }>();

  async function advance(ms: number): Promise<void> {
    const end = now + ms;
    for (let next = firstOf(sleepers, end); next !== null; next = firstOf(sleepers, end)) {
      now = Math.max(now, next.wakeAt);
      next.wake();
      for (let turn = 0; turn < TURNS_AFTER_WAKE; turn++) await nextTurn();
    }
    now = end;
  }

  return {
    now: () => now,
    advance,
    get sleeping() {
      return sleepers.size;
    },
    untilSleeping(count = 1) {
      if (sleepers.size >= count) return Promise.resolve();
      return new Promise((notify) => watchers.add({ count, notify }));
    },
    sleep(ms, signal) {
      if (signal.aborted) return Promise.reject(signal.reason);
      if (auto || ms <= 0) {
        now += Math.max(0, ms);
        return Promise.resolve();
      }
      return new Promise((resolve, reject) => {
        const end = () => {
          sleepers.delete(sleeper);
          signal.removeEventListener('abort', abort);
        };
        const abort = () => {
          end();
          reject(signal.reason);
        };
        const sleeper = {
          wakeAt: now + ms,
          wake: () => {
            end();
            resolve();
          },
        };
        sleepers.add(sleeper);
        signal.addEventListener('abort', abort, { once: true });
        for (const watcher of watchers) {
          if (sleepers.size < watcher.count) continue;
          watchers.delete(watcher);
          watcher.notify();
        }
      });
    },
  };
}

/** The one that wakes first, and of several the one that went to sleep first. */
function firstOf(sleepers: ReadonlySet<Sleeper>, end: number): Sleeper | null {
  let first: Sleeper | null = null;
  for (const sleeper of sleepers) {
    if (sleeper.wakeAt <= end && (first === null || sleeper.wakeAt < first.wakeAt)) first = sleeper;
  }
  return first;
}
