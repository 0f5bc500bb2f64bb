import type { RaspEvent } from '../../src/protocol/index.ts';
import type { RunModel } from '../../src/record/index.ts';
import { rangesOf } from './bytes/raw-ranges.ts';

/** How much of the output was parsed, in bytes. */
export interface ParseShare {
  parser: string;
  structured: number;
  raw: number;
}

/** Counts incrementally: a run of ten thousand events is not counted again for each new one. */
export function createParseShare(): (model: RunModel) => ParseShare | null {
  let counted = 0;
  let share: ParseShare | null = null;
  /** How far each stream is counted: a complete message refers to the same bytes as its parts. */
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

/** `98 %`; never 100 if something is missing, nor 0 if there is something. */
export function percent(part: number, of: number): string {
  const exact = of === 0 ? 0 : (100 * part) / of;
  const whole = part === 0 ? 0 : part === of ? 100 : Math.min(99, Math.max(1, Math.round(exact)));
  return `${whole}\u202f%`;
}
