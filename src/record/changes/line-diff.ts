import { diffArrays } from 'diff';

/** Lines of one side, or of both. */
export interface LinePart {
  kind: 'same' | 'removed' | 'added';
  lines: string[];
}

export interface LineDiff {
  parts: LinePart[];
  /** A comparison took too long somewhere: all old lines there come before all new ones. */
  tooDifferent: boolean;
}

/** Maximum steps for all comparisons of two files, about half a second. A time limit would depend on the load. */
const MAX_STEPS = 9_000_000;

/**
 * Compares two files line by line. Lines that occur exactly once on each side are anchors; only the lines between them
 * are compared in detail, so that ten thousand lines with a change in every third stay fast.
 */
export function diffLines(before: readonly string[], after: readonly string[]): LineDiff {
  const diff: LineDiff = { parts: [], tooDifferent: false };
  let stepsLeft = MAX_STEPS;
  let [beforeAt, afterAt] = [0, 0];
  for (const [beforeAnchor, afterAnchor] of [...anchorsOf(before, after), [before.length, after.length] as const]) {
    stepsLeft -= compare(before.slice(beforeAt, beforeAnchor), after.slice(afterAt, afterAnchor), stepsLeft, diff);
    if (beforeAnchor < before.length) diff.parts.push({ kind: 'same', lines: [before[beforeAnchor]!] });
    [beforeAt, afterAt] = [beforeAnchor + 1, afterAnchor + 1];
  }
  return diff;
}

/** Adds the result, and returns the steps it took: the square of the number of changes. */
function compare(before: string[], after: string[], stepsLeft: number, diff: LineDiff): number {
  const maxEditLength = Math.floor(Math.sqrt(stepsLeft));
  const found = before.length > 0 && after.length > 0 ? diffArrays(before, after, { maxEditLength }) : undefined;
  if (found) {
    let edits = 0;
    for (const { removed, added, value } of found) {
      diff.parts.push({ kind: removed ? 'removed' : added ? 'added' : 'same', lines: value });
      if (removed || added) edits += value.length;
    }
    return edits ** 2;
  }
  diff.parts.push({ kind: 'removed', lines: before }, { kind: 'added', lines: after });
  if (before.length === 0 || after.length === 0) return 0;
  diff.tooDifferent = true;
  return maxEditLength ** 2;
}

/** Positions of lines that occur once on each side: the longest sequence that keeps its order. */
function anchorsOf(before: readonly string[], after: readonly string[]): [number, number][] {
  const once = onceIn(after);
  const pairs: [number, number][] = [];
  for (const [line, at] of onceIn(before)) {
    const other = once.get(line);
    if (other !== undefined) pairs.push([at, other]);
  }
  return longestRising(pairs.sort(([one], [other]) => one - other));
}

function onceIn(lines: readonly string[]): Map<string, number> {
  const places = new Map<string, number>();
  const twice = new Set<string>();
  for (const [at, line] of lines.entries()) {
    if (places.has(line)) twice.add(line);
    places.set(line, at);
  }
  for (const line of twice) places.delete(line);
  return places;
}

/** The longest subsequence of pairs whose second positions increase as well. */
function longestRising(pairs: readonly [number, number][]): [number, number][] {
  // The last pair of the best sequence of each length, and the predecessor of each pair.
  const ends: number[] = [];
  const previous: (number | undefined)[] = [];
  for (const [index, [, place]] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (pairs[ends[middle]!]![1] < place) low = middle + 1;
      else high = middle;
    }
    previous[index] = ends[low - 1];
    ends[low] = index;
  }
  const chosen: [number, number][] = [];
  for (let index = ends.at(-1); index !== undefined; index = previous[index]) chosen.push(pairs[index]!);
  return chosen.reverse();
}
