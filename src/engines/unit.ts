import type { ByteRange, OutputStream, RawRef } from '../protocol/index.ts';

/**
 * What a parser reads as one thing: a line, a JSON document, a block of text. Every byte of a stream belongs to exactly
 * one unit, and all events born from a unit carry its range.
 */
export interface Unit {
  stream: OutputStream;
  /** Offsets in the stream's file. */
  from: number;
  to: number;
  /** When its last byte was read; milliseconds since the epoch. */
  time: number;
}

export function rangeOf(unit: Unit, attempt: number): ByteRange {
  return { attempt_number: attempt, stream: unit.stream, byte_from: unit.from, byte_to: unit.to };
}

/** The ranges of several units, those that touch as one. */
export function rangesOf(units: readonly Unit[], attempt: number): RawRef {
  const ranges: ByteRange[] = [];
  for (const unit of units) {
    const last = ranges.at(-1);
    if (last && last.stream === unit.stream && last.byte_to === unit.from) last.byte_to = unit.to;
    else ranges.push(rangeOf(unit, attempt));
  }
  if (ranges.length === 0) return null;
  return ranges.length === 1 ? ranges[0]! : ranges;
}
