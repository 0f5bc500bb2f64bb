/** Recorded time as it is played: with gaps that are no longer than somebody wants to wait. */
export interface Timeline {
  /** When this is played; times come in order, and one that does not is taken for the last. */
  at(recordedMs: number, longestGapMs?: number): number;
}

export function createTimeline(idleMs: number): Timeline {
  let recorded = 0;
  let played = 0;
  return {
    at(recordedMs, longestGapMs = Number.POSITIVE_INFINITY) {
      played += Math.min(Math.max(0, recordedMs - recorded), idleMs, longestGapMs);
      recorded = Math.max(recorded, recordedMs);
      return played;
    },
  };
}

export interface Frame {
  recordedMs: number;
  timeMs: number;
}

/** How long a film is, and when in it a recorded time is. */
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
