import { type RunModel, timeOf } from '../../../src/record/index.ts';
import type { Recording } from '../terminal/recording.ts';
import { clock } from '../times.ts';

/** A span without activity, in milliseconds since the start of the run. */
export interface Gap {
  from: number;
  to: number;
}

/** Maps time, in milliseconds since the start of the run, to a line that can leave out idle time. */
export interface TimeAxis {
  length: number;
  toAxis(time: number): number;
  toTime(place: number): number;
}

/** The visible part of a line, and its width on the screen. */
export interface TimeScale {
  width: number;
  x(time: number): number;
  time(x: number): number;
}

/** Silence longer than this is idle… */
export const IDLE_MS = 2000;
/** …and is shortened to this, so that it stays visible. */
const SHORTENED_MS = 500;

/** Time without changes. */
export function honestAxis(length: number): TimeAxis {
  return { length, toAxis: (time) => time, toTime: (place) => place };
}

/** Time with idle spans shortened. */
export function compressedAxis(length: number, gaps: readonly Gap[]): TimeAxis {
  /** Where each gap begins on the line. */
  const places: number[] = [];
  let removed = 0;
  for (const { from, to } of gaps) {
    places.push(from - removed);
    removed += to - from - SHORTENED_MS;
  }
  const toAxis = (time: number) => {
    let cut = 0;
    for (const { from, to } of gaps) {
      if (time <= from) break;
      const share = Math.min(1, (time - from) / (to - from));
      cut += share * (to - from - SHORTENED_MS);
    }
    return time - cut;
  };
  const toTime = (place: number) => {
    let added = 0;
    for (const [index, { from, to }] of gaps.entries()) {
      const begin = places[index]!;
      if (place <= begin) break;
      const share = Math.min(1, (place - begin) / SHORTENED_MS);
      added += share * (to - from - SHORTENED_MS);
    }
    return place + added;
  };
  return { length: length - removed, toAxis, toTime };
}

export function scaleOf(axis: TimeAxis, seen: { from: number; to: number }, width: number): TimeScale {
  const perUnit = width / Math.max(1, seen.to - seen.from);
  return {
    width,
    x: (time) => (axis.toAxis(time) - seen.from) * perUnit,
    time: (x) => axis.toTime(seen.from + x / perUnit),
  };
}

/** Idle spans of the whole run: neither events nor output. */
export function idleGaps(model: RunModel, recordings: readonly Recording[], until: number): Gap[] {
  const start = model.start ?? 0;
  const times = model.events.map((event) => timeOf(model, event));
  for (const recording of recordings) for (const time of recording.times) times.push(time - start);
  const ordered = Float64Array.from(times).sort();
  const gaps: Gap[] = [];
  let last = 0;
  for (const time of ordered) {
    if (time - last > IDLE_MS) gaps.push({ from: last, to: time });
    last = Math.max(last, time);
  }
  if (until - last > IDLE_MS) gaps.push({ from: last, to: until });
  return gaps;
}

/** The idle share of a run, from 0 to 1. */
export function idleShare(length: number, gaps: readonly Gap[]): number {
  return gaps.reduce((sum, { from, to }) => sum + to - from, 0) / Math.max(1, length);
}

const STEPS_MS = [
  10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 900_000,
  1_800_000, 3_600_000, 7_200_000, 14_400_000, 43_200_000, 86_400_000,
];

/** Times to label below the line, at least `apart` pixels from each other. */
export function ticksOf(axis: TimeAxis, seen: { from: number; to: number }, width: number, apart = 90): Tick[] {
  const least = ((seen.to - seen.from) / Math.max(1, width)) * apart;
  const step = STEPS_MS.find((candidate) => candidate >= least) ?? Math.ceil(least / 86_400_000) * 86_400_000;
  const ticks: Tick[] = [];
  for (let place = Math.ceil(seen.from / step) * step; place <= seen.to; place += step) {
    const x = ((place - seen.from) / Math.max(1, seen.to - seen.from)) * width;
    ticks.push({ x, label: labelOf(axis.toTime(place), step) });
  }
  return ticks;
}

interface Tick {
  x: number;
  label: string;
}

/** With enough digits to distinguish it from its neighbours. */
function labelOf(time: number, step: number): string {
  const digits = step >= 1000 ? 0 : step >= 100 ? 1 : 2;
  const fraction = String(Math.floor(time % 1000)).padStart(3, '0');
  return digits === 0 ? clock(time) : `${clock(time)}.${fraction.slice(0, digits)}`;
}
