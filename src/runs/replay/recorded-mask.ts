import type { OutputStream, Redactions } from '../../protocol/index.ts';
import { maskedRangesOf } from '../../record/index.ts';
import type { Mask } from './secret-mask.ts';

/** Masks the ranges that were masked during recording, so that a replay sees what the parser saw then. */
export function createRecordedMask(
  ranges: Redactions['ranges'],
  start: Partial<Record<OutputStream, number>> = {},
): Mask {
  const of = (stream: OutputStream) => ({ offset: start[stream] ?? 0, masked: maskedRangesOf(ranges, stream) });
  const streams = { stdout: of('stdout'), stderr: of('stderr'), pty: of('pty') };

  return {
    heldSince: null,
    push(stream, bytes, time) {
      const state = streams[stream];
      const from = state.offset;
      state.offset += bytes.length;
      return [{ stream, bytes: state.masked.mask(bytes, from), time, from }];
    },
    release: () => [],
    maskedBytes: (stream, span) => streams[stream].masked.count(span),
  };
}
