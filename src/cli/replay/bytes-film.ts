import type { Moment } from '../../recording/index.ts';
import type { Film } from './film.ts';
import { createTimeline } from './timeline.ts';

/** A destination for the bytes of a recording. */
export interface BytesStage {
  write(bytes: Buffer): Promise<void>;
  /** Redrawing; null where output is only appended. */
  redrawn: {
    /** Draws the screen as it was after the given number of moments. */
    draw(moments: number): Promise<void>;
    /** Writes a line over the last row. */
    cover(line: string): Promise<void>;
  } | null;
  close(): Promise<void>;
}

interface Frame {
  timeMs: number;
  bytes: Buffer;
}

/**
 * The bytes of a terminal. They own the whole screen while playing; while paused, a status line covers the last row.
 */
export function createBytesFilm(open: () => Iterable<Moment>, stage: BytesStage, idleMs: number): Film {
  let timeline = createTimeline(idleMs);
  let moments = open()[Symbol.iterator]();
  let next: Frame | null | undefined;
  /** Number of moments shown. */
  let shown = 0;
  /** Number of moments read: up to and including the next frame. */
  let read = 0;
  /** Time of the last frame shown. */
  let lastMs = 0;
  let isCovered = false;

  function peek(): Frame | null {
    while (next === undefined) {
      const { value: moment, done } = moments.next();
      if (done) {
        next = null;
        break;
      }
      read++;
      if (moment.kind !== 'output') continue;
      next = { timeMs: timeline.at(moment.time / 1000), bytes: moment.bytes };
    }
    return next;
  }

  function skip(): void {
    shown = read;
    lastMs = next?.timeMs ?? lastMs;
    next = undefined;
  }

  function rewind(): void {
    moments.return?.();
    moments = open()[Symbol.iterator]();
    timeline = createTimeline(idleMs);
    next = undefined;
    shown = 0;
    read = 0;
    lastMs = 0;
  }

  async function uncover(): Promise<void> {
    if (!isCovered) return;
    isCovered = false;
    await stage.redrawn?.draw(shown);
  }

  const film: Film = {
    peek: async () => peek()?.timeMs ?? null,
    async show() {
      const frame = peek();
      if (!frame) return false;
      await uncover();
      skip();
      await stage.write(frame.bytes);
      return true;
    },
    async seek(timeMs) {
      if (timeMs >= lastMs || stage.redrawn === null) {
        await uncover();
        for (let frame = peek(); frame && frame.timeMs <= timeMs; frame = peek()) await film.show();
        return;
      }
      rewind();
      for (let frame = peek(); frame && frame.timeMs <= timeMs; frame = peek()) skip();
      isCovered = false;
      await stage.redrawn.draw(shown);
    },
    tick: async () => {},
    async status(line, { isPaused }) {
      if (!isPaused) return await uncover();
      await stage.redrawn?.cover(line);
      isCovered = stage.redrawn !== null;
    },
    finish: uncover,
    async close() {
      await uncover();
      moments.return?.();
      await stage.close();
    },
  };

  return film;
}
