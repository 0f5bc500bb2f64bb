import type { JsonObject } from './json-value.ts';
import type { Unit } from './unit.ts';

/** An event line of one of two logs of the same run that were recorded apart. */
export interface MergedLine {
  event: JsonObject;
  unit: Unit;
  identity: string;
  bytes?: Buffer;
}

export interface MergeResult {
  /** Every event once, in the order of the merged log if that has one. */
  lines: MergedLine[];
  /** Units of the merged log whose events the split log lacks. */
  missing: Unit[];
  /** Events of the split log that the merged log lacks. */
  extra: number;
}

/**
 * Compares a split log with a merged one that was recorded apart. Events both hold are taken from the split log; those
 * only the merged one holds stand where it has them. What an engine really printed twice is twice in both.
 */
export function mergeApart(split: readonly MergedLine[], merged: readonly MergedLine[]): MergeResult {
  const placesOf = new Map<string, number[]>();
  merged.forEach(({ identity }, place) => {
    const places = placesOf.get(identity);
    if (places) places.push(place);
    else placesOf.set(identity, [place]);
  });
  const matched = new Set<number>();
  const placed: { line: MergedLine; place: number }[] = [];
  let before = -1;
  let extra = 0;
  for (const line of split) {
    const place = placesOf.get(line.identity)?.shift();
    if (place === undefined) extra++;
    else matched.add(place);
    // One the merged log lacks stays behind the one it was printed after.
    before = place ?? before;
    placed.push({ line, place: before });
  }
  const missing = merged.filter((_, place) => !matched.has(place));
  merged.forEach((line, place) => {
    if (!matched.has(place)) placed.push({ line, place });
  });
  placed.sort((one, other) => one.place - other.place);
  return { lines: placed.map(({ line }) => line), missing: missing.map(({ unit }) => unit), extra };
}
