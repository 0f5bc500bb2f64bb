import type { OutputStream, Redactions } from '../../protocol/index.ts';
import type { Mask, Segment } from './secret-mask.ts';

const STAR = 0x2a;

/** Masks the ranges that were masked during recording, so that a replay sees what the parser saw then. */
export function createRecordedMask(
  ranges: Redactions['ranges'],
  start: Partial<Record<OutputStream, number>> = {},
): Mask {
  const places: Record<OutputStream, { offset: number; ahead: Redactions['ranges'] }> = {
    stdout: { offset: start.stdout ?? 0, ahead: inOrder(ranges, 'stdout') },
    stderr: { offset: start.stderr ?? 0, ahead: inOrder(ranges, 'stderr') },
    pty: { offset: start.pty ?? 0, ahead: inOrder(ranges, 'pty') },
  };

  function push(stream: OutputStream, bytes: Buffer, time: number): Segment[] {
    const place = places[stream];
    const from = place.offset;
    place.offset += bytes.length;
    let masked = bytes;
    // The next range is the last of the list.
    for (let range = place.ahead.at(-1); range && range.byte_from < place.offset; range = place.ahead.at(-1)) {
      if (masked === bytes) masked = Buffer.from(bytes);
      masked.fill(STAR, Math.max(range.byte_from - from, 0), Math.min(range.byte_to - from, masked.length));
      if (range.byte_to > place.offset) break;
      place.ahead.pop();
    }
    return [{ stream, bytes: masked, time, from }];
  }

  return { heldSince: null, push, release: () => [] };
}

/** The stream's ranges in reverse order, without overlaps. */
function inOrder(ranges: Redactions['ranges'], stream: OutputStream): Redactions['ranges'] {
  const apart: Redactions['ranges'] = [];
  const own = ranges.filter((range) => range.stream === stream && range.byte_from < range.byte_to);
  for (const range of own.sort((one, other) => one.byte_from - other.byte_from)) {
    const last = apart.at(-1);
    if (last && range.byte_from <= last.byte_to) last.byte_to = Math.max(last.byte_to, range.byte_to);
    else apart.push({ ...range });
  }
  return apart.reverse();
}
