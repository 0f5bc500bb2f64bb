import type { RaspEvent } from '../../src/protocol/index.ts';
import type { RunModel } from '../../src/record/index.ts';
import { rangesOf } from './bytes/raw-ranges.ts';

/** How much of the output was understood, in bytes. */
export interface ParseShare {
  parser: string;
  structured: number;
  raw: number;
}

/** Counts as events come; a run of ten thousand is not gone through again for each that is added. */
export function createParseShare(): (model: RunModel) => ParseShare | null {
  let counted = 0;
  let share: ParseShare | null = null;
  /** How far each stream is counted: a message made of pieces names bytes that its pieces named before. */
  const ends = new Map<string, number>();

  function count(event: RaspEvent): void {
    if (event.source.parser === 'tacho') return;
    const isRaw = event.event.category === 'raw';
    share ??= { parser: event.source.parser, structured: 0, raw: 0 };
    let bytes = 0;
    for (const range of rangesOf(event.raw_ref)) {
      const stream = `${range.attempt_number}.${range.stream}`;
      const end = ends.get(stream) ?? 0;
      bytes += Math.max(0, range.byte_to - Math.max(range.byte_from, end));
      ends.set(stream, Math.max(end, range.byte_to));
    }
    share = {
      parser: event.source.parser,
      structured: share.structured + (isRaw ? 0 : bytes),
      raw: share.raw + (isRaw ? bytes : 0),
    };
  }

  return ({ events }) => {
    for (; counted < events.length; counted++) count(events[counted]!);
    return share;
  };
}

/** `98 %`; never 100 where something is missing, nor 0 where there is something. */
export function percent(part: number, of: number): string {
  const exact = of === 0 ? 0 : (100 * part) / of;
  const whole = part === 0 ? 0 : part === of ? 100 : Math.min(99, Math.max(1, Math.round(exact)));
  return `${whole}\u202f%`;
}
