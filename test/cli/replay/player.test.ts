import { describe, expect, it } from 'vitest';
import type { Film } from '../../../src/cli/replay/film.ts';
import { type Command, type Controls, play } from '../../../src/cli/replay/player.ts';

/** Frames at these times, and a log of all calls. */
function filmOf(times: readonly number[], now: () => number) {
  const notes: string[] = [];
  let at = 0;
  const film: Film = {
    peek: async () => times[at] ?? null,
    // Frames at odd times show nothing.
    show: async () => {
      notes.push(`${now()}: show ${times[at]}`);
      return times[at++]! % 2 === 0;
    },
    seek: async (timeMs) => {
      at = times.filter((time) => time <= timeMs).length;
      notes.push(`${now()}: seek ${timeMs}`);
    },
    tick: async () => {},
    status: async (line) => void (notes.at(-1) !== line && notes.push(line)),
    finish: async () => void notes.push(`${now()}: end`),
    close: async () => {},
  };
  return { film, notes };
}

/** A clock that advances only while waiting, and keys pressed at given times. */
function scripted(keys: readonly [number, Command][]): Controls {
  const left = [...keys];
  let now = 0;
  return {
    now: () => now,
    take: () => (left[0] && left[0][0] <= now ? left.shift()![1] : null),
    async wait(ms) {
      const next = Math.min(now + ms, left[0]?.[0] ?? Number.POSITIVE_INFINITY);
      if (next === Number.POSITIVE_INFINITY) throw new Error('waits without an end');
      now = next;
    },
  };
}

async function played(
  times: readonly number[],
  {
    keys = [],
    speed = 1,
    fromMs = 0,
    lengthMs = null,
  }: Partial<Parameters<typeof play>[2]> & { keys?: [number, Command][] },
) {
  const controls = scripted(keys);
  const { film, notes } = filmOf(times, controls.now);
  const exitCode = await play(film, controls, { speed, fromMs, lengthMs });
  return { exitCode, notes };
}

describe('a film', () => {
  it('is shown at the times of its frames, faster with a speed', async () => {
    expect(await played([0, 1000, 3000], {})).toEqual({
      exitCode: null,
      notes: ['0: show 0', '1000: show 1000', '3000: show 3000', '3000: end'],
    });
    const { notes } = await played([0, 1000, 3000], { speed: 2 });
    expect(notes).toEqual(['0: show 0', '500: show 1000', '1500: show 3000', '1500: end']);
  });

  it('is shown without waiting at the maximum speed', async () => {
    const { notes } = await played([0, 1000, 3_600_000], { speed: Number.POSITIVE_INFINITY });
    expect(notes).toEqual(['0: show 0', '0: show 1000', '0: show 3600000', '0: end']);
  });

  it('starts at the requested time', async () => {
    const { notes } = await played([0, 1000, 3000], { fromMs: 2000 });
    expect(notes).toEqual(['0: seek 2000', '1000: show 3000', '1000: end']);
  });

  it('stops while it is paused', async () => {
    const pause: Command = { do: 'pause' };
    const { notes } = await played([0, 1000], {
      keys: [
        [400, pause],
        [5000, pause],
      ],
    });
    expect(notes).toEqual(['0: show 0', '5600: show 1000', '5600: end']);
  });

  it('seeks back and forth within its bounds', async () => {
    const { notes } = await played([0, 4000, 20_000], {
      lengthMs: 20_000,
      keys: [
        [4500, { do: 'seek', byMs: -5000 }],
        [4600, { do: 'seek', byMs: 50_000 }],
      ],
    });
    expect(notes.filter((note) => !note.startsWith('p'))).toEqual([
      '0: show 0',
      '4000: show 4000',
      '4500: seek 0',
      '4600: seek 20000',
      '4600: end',
    ]);
  });

  it('changes its speed while it plays', async () => {
    const { notes } = await played([0, 1000, 3000], {
      keys: [
        [500, { do: 'speed', by: 0.5 }],
        [1500, { do: 'speed', by: 4 }],
      ],
    });
    expect(notes).toEqual(['0: show 0', '1500: show 1000', '2500: show 3000', '2500: end']);
  });

  it('steps to the next frame that shows something', async () => {
    const step: Command = { do: 'step' };
    const { notes } = await played([0, 301, 1000, 3000], {
      keys: [
        [100, step],
        [200, step],
        [300, step],
        [400, { do: 'pause' }],
      ],
    });
    expect(notes).toEqual(['0: show 0', '100: show 301', '100: show 1000', '200: show 3000', '400: end']);
  });

  it('shows its position and the keys', async () => {
    const { notes } = await played([0, 61_000], {
      lengthMs: 61_000,
      speed: 0.5,
      keys: [
        [2500, { do: 'help' }],
        [3000, { do: 'help' }],
        [4000, { do: 'quit', exitCode: 0 }],
      ],
    });
    expect(notes).toEqual([
      'playing  0:00 / 1:01  0.5x  ? keys',
      '0: show 0',
      'playing  0:00 / 1:01  0.5x  ? keys',
      'playing  0:01 / 1:01  0.5x  ? keys',
      'space pause  left/right seek 5 s  up/down speed  . step  q quit',
      'paused   0:01 / 1:01  0.5x  ? keys',
    ]);
  });

  it('quits at once, also while it is paused', async () => {
    const keys: [number, Command][] = [
      [10, { do: 'pause' }],
      [20, { do: 'quit', exitCode: 130 }],
    ];
    expect(await played([0, 1000], { keys })).toEqual({ exitCode: 130, notes: ['0: show 0'] });
  });
});
