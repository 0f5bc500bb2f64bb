/** Converts recorded time to playback time, in which gaps are limited. */
export interface Timeline {
  /** Playback time of a recorded time. Times must ascend; an earlier one counts as the last. */
  at(recordedMs: number, maxGapMs?: number): number;
}

export function createTimeline(idleMs: number): Timeline {
  let recorded = 0;
  let played = 0;
  return {
    at(recordedMs, maxGapMs = Number.POSITIVE_INFINITY) {
      played += Math.min(Math.max(0, recordedMs - recorded), idleMs, maxGapMs);
      recorded = Math.max(recorded, recordedMs);
      return played;
    },
  };
}

export interface Frame {
  recordedMs: number;
  timeMs: number;
}

/** The length of a film, and the playback time of a recorded time. */
export async function measure(
  frames: AsyncIterable<Frame> | Iterable<Frame>,
  recordedMs: number,
): Promise<{ lengthMs: number; atMs: number }> {
  let lengthMs = 0;
  let before: Frame = { recordedMs: 0, timeMs: 0 };
  let after: Frame | null = null;
  for await (const frame of frames) {
    lengthMs = frame.timeMs;
    if (frame.recordedMs <= recordedMs) before = frame;
    else after ??= frame;
  }
  const past = before.timeMs + recordedMs - before.recordedMs;
  return { lengthMs, atMs: Math.min(past, after?.timeMs ?? lengthMs) };
}
