import type { OutputStream, Redactions } from '../protocol/index.ts';
import type { Mask, Segment } from './secret-mask.ts';

const STAR = 0x2a;

/** Blanks the ranges that were blanked when the bytes were recorded, so that a replay sees what the parser saw then. */
export function createRecordedMask(ranges: Redactions['ranges']): Mask {
  const offsets: Record<OutputStream, number> = { stdout: 0, stderr: 0, pty: 0 };

  function push(stream: OutputStream, bytes: Buffer, time: number): Segment[] {
    const from = offsets[stream];
    offsets[stream] += bytes.length;
    const hit = ranges.filter(
      (range) => range.stream === stream && range.byte_from < offsets[stream] && range.byte_to > from,
    );
    if (hit.length === 0) return [{ stream, bytes, time, from }];
    const masked = Buffer.from(bytes);
    for (const range of hit) {
      masked.fill(STAR, Math.max(range.byte_from - from, 0), Math.min(range.byte_to - from, masked.length));
    }
    return [{ stream, bytes: masked, time, from }];
  }

  return { holding: false, push, release: () => [] };
}
