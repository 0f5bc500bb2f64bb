import { type RunModel, seqAt, timeOf } from '../../src/record/index.ts';
import { lastAtMost } from './terminal/frames.ts';
import type { Recording } from './terminal/recording.ts';

/**
 * Times since the epoch and since the start of the run differ by rounding; differences up to this, in milliseconds, are
 * ignored.
 */
export const SAME_MOMENT_MS = 0.01;

/** When the frame before or after a time was read, in milliseconds since the start of the run. */
export function neighbourFrame(
  model: RunModel,
  recordings: readonly Recording[],
  time: number,
  direction: 'before' | 'after',
): number | null {
  const start = model.start ?? 0;
  const found = recordings.map(({ times }) =>
    direction === 'after'
      ? times[lastAtMost(times, start + time + SAME_MOMENT_MS) + 1]
      : times[lastAtMost(times, start + time - SAME_MOMENT_MS)],
  );
  const known = found.filter((frame) => frame !== undefined).map((frame) => frame - start);
  if (known.length === 0) return null;
  return direction === 'after' ? Math.min(...known) : Math.max(...known);
}

/** The last event or output before a time, and the next one after it. */
export function activityAround(
  model: RunModel,
  recordings: readonly Recording[],
  time: number,
): { last: number; next: number | null } {
  const index = seqAt(model, time);
  const [event, nextEvent] = [model.events[index - 1], model.events[index]];
  const nextFrame = neighbourFrame(model, recordings, time, 'after');
  const next = [nextFrame, nextEvent && timeOf(model, nextEvent)].filter((at) => typeof at === 'number');
  return {
    last: Math.max(event ? timeOf(model, event) : 0, neighbourFrame(model, recordings, time, 'before') ?? 0),
    next: next.length === 0 ? null : Math.min(...next),
  };
}
