import type { Recording } from './recording.ts';

/** A position in a recording: how much output there was, and how often the terminal had been resized. */
export interface Position {
  offset: number;
  resizes: number;
}

/** Size of the terminal. */
export interface Size {
  cols: number;
  rows: number;
}

/** A step of a terminal from one position towards another. */
export type ReplayStep = { write: { from: number; to: number } } | { resize: Size };

/** Index of the last of ascending numbers that is at most a value; −1 if there is none. */
export function lastAtMost(ascending: readonly number[], value: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The visible frame at a time since the epoch; −1 before the first. */
export function frameAt(recording: Recording, time: number): number {
  return lastAtMost(recording.times, time);
}

export function positionAt(recording: Recording, time: number): Position {
  const { ends, resizes, header } = recording;
  const offset = ends[frameAt(recording, time)] ?? header ?? 0;
  return { offset, resizes: resizes.filter((resize) => resize.time <= time).length };
}

/** The steps from a position to a later one, in pieces of at most `most` bytes; the short one comes first, not last. */
export function stepsBetween(recording: Recording, from: Position, to: Position, most: number): ReplayStep[] {
  const steps: ReplayStep[] = [];
  let { offset } = from;
  const writeUpTo = (end: number) => {
    while (offset < end) {
      const next = offset + ((end - offset) % most || most);
      steps.push({ write: { from: offset, to: next } });
      offset = next;
    }
  };
  for (const { offset: at, cols, rows } of recording.resizes.slice(from.resizes, to.resizes)) {
    writeUpTo(Math.min(at, to.offset));
    steps.push({ resize: { cols, rows } });
  }
  writeUpTo(to.offset);
  return steps;
}

/** The initial size of a recording, from the first line of its merged file. */
export function firstSize(headerLine: string): Size {
  const match = /COLUMNS="(\d{1,5})" LINES="(\d{1,5})"\]\s*$/.exec(headerLine);
  const [cols, rows] = [Number(match?.[1]), Number(match?.[2])];
  return cols > 0 && rows > 0 ? { cols, rows } : { cols: 80, rows: 24 };
}

/** The size at a position. */
export function sizeAt(recording: Recording, { resizes }: Position, first: Size): Size {
  return recording.resizes[resizes - 1] ?? first;
}
