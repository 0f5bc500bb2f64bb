import type { Surface } from './line-parser.ts';
import type { Misread } from './ndjson-parser.ts';
import { RecentMap } from './recent-map.ts';
import type { Unit } from './unit.ts';

/** Reports the misreads of one log. A line whose bytes are given is kept as raw, unless all it has is unknown fields. */
export function createMisreadReport({ draft, raw }: Pick<Surface, 'draft' | 'raw'>) {
  const withUnknownFields = new RecentMap<string, true>();

  return (misread: Misread | null, bytes: Buffer | null, unit: Unit): void => {
    if (!misread) return;
    if (misread.problem === 'unknown fields') {
      if (withUnknownFields.has(misread.event_type)) return;
      withUnknownFields.set(misread.event_type, true);
    } else if (bytes) raw(bytes, unit);
    draft.warning('UNPARSED_CONTENT', unit, { ...misread });
  };
}
