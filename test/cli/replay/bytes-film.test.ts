import { describe, expect, it } from 'vitest';
import { type BytesStage, createBytesFilm } from '../../../src/cli/replay/bytes-film.ts';
import { createScreens } from '../../../src/cli/replay/screens.ts';
import type { Moment } from '../../../src/recording/index.ts';
import { openScreen } from '../../../src/runtime/open-screen.ts';

const output = (ms: number, text: string): Moment => ({
  kind: 'output',
  side: 'a',
  time: ms * 1000,
  bytes: Buffer.from(text),
});

const MOMENTS: Moment[] = [
  output(0, 'one\n'),
  { kind: 'input', time: 500_000, bytes: Buffer.from('typed') },
  output(1000, 'two\n'),
  { kind: 'resize', time: 1_500_000, cols: 20, rows: 5 },
  output(60_000, '\u001b[2Jthree'),
];

function filmOf({ isTerminal = true, idleMs = Number.POSITIVE_INFINITY, moments = MOMENTS } = {}) {
  const written: string[] = [];
  let opened = 0;
  const open = function* () {
    opened++;
    try {
      yield* moments;
    } finally {
      opened--;
    }
  };
  const screens = createScreens({ open, openScreen, cols: 40, rows: 4, bareLineFeeds: true });
  const stage: BytesStage = {
    write: async (bytes) => void written.push(bytes.toString()),
    redrawn: isTerminal
      ? {
          draw: async (shown) => void written.push(`DRAW ${visible(await screens.after(shown))}`),
          cover: async (line) => void written.push(`COVER ${line}`),
        }
      : null,
    close: async () => screens.close(),
  };
  return { film: createBytesFilm(open, stage, idleMs), written: () => written.splice(0), opened: () => opened };
}

/** The text that a drawing leaves. */
function visible(drawn: string): string {
  return drawn
    .replaceAll(/\u001b\[\d+;\d+H(?=.)/g, ' ')
    .replaceAll(/\u001b\[[\d;?]*[A-Za-z]/g, '')
    .trim();
}

describe('played bytes', () => {
  it('appear at their times, with gaps up to the requested maximum', async () => {
    const { film, written } = filmOf({ idleMs: 2000 });
    const times: (number | null)[] = [];
    for (let next = await film.peek(); next !== null; next = await film.peek()) {
      times.push(next);
      await film.show();
    }
    expect(times).toEqual([0, 1000, 3000]);
    expect(written()).toEqual(['one\n', 'two\n', '\u001b[2Jthree']);
  });

  it('are all written if the beginning is skipped', async () => {
    const { film, written } = filmOf({ isTerminal: false });
    await film.seek(1000);
    expect(written()).toEqual(['one\n', 'two\n']);
  });

  it('are redrawn as at an earlier time', async () => {
    const { film, written } = filmOf();
    await film.seek(60_000);
    written();
    await film.seek(59_000);
    expect(written()).toEqual(['DRAW one two']);
    expect(await film.peek()).toBe(60_000);
    await film.seek(0);
    expect(written()).toEqual(['DRAW one']);
    await film.show();
    expect(written()).toEqual(['two\n']);
  });

  it('are redrawn when the status line that covered them is removed', async () => {
    const { film, written } = filmOf();
    await film.show();
    await film.status('paused', { isPaused: true });
    await film.show();
    await film.status('playing', { isPaused: false });
    await film.status('paused', { isPaused: true });
    // The window was resized.
    await film.seek(2000);
    await film.close();
    expect(written()).toEqual(['one\n', 'COVER paused', 'DRAW one', 'two\n', 'COVER paused', 'DRAW one two']);
  });

  it('are redrawn from the nearest saved screen, and their files are closed', async () => {
    const many = Array.from({ length: 400 }, (_, at) => output(at, `${`${at}`.padStart(4000, '.')}\n`));
    const { film, written, opened } = filmOf({ moments: many });
    await film.seek(399);
    written();
    for (const at of [350, 100, 300]) {
      await film.seek(at);
      expect(written().at(-1), String(at)).toContain(`${at}`);
    }
    await film.close();
    expect(opened()).toBe(0);
  });
});
