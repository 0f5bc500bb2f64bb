import type { FieldTable } from './field-table.ts';

/** Longer words are not typing mistakes, and the cost of a distance is the product of both lengths. */
const MAX_WORD_LENGTH = 64;

/** The most likely intended path for `key` inside `section`; undefined without a close match. */
export function nearestPath(table: FieldTable, section: string, key: string): string | undefined {
  const word = asSnakeCase(key);
  const siblings = (table.sections.get(section) ?? []).map((name) => ({ word: name, path: join(section, name) }));
  const sibling = nearest(word, siblings);
  if (sibling !== undefined) return sibling.path;
  // A right key in the wrong place, such as `timeout_ms` at the top, is as common as a misspelled one.
  const paths = [...table.fields.values()].filter(({ path, prefix }) => path === prefix).map(({ path }) => path);
  const everywhere = paths.map((path) => ({ word: path.slice(path.lastIndexOf('.') + 1), path }));
  return (
    nearest(word, everywhere)?.path ??
    nearest(
      word,
      paths.map((path) => ({ word: path, path })),
    )?.path
  );
}

/** The candidate with the smallest edit distance, if two thirds of the word are right. */
export function nearest<T extends { word: string }>(word: string, candidates: readonly T[]): T | undefined {
  if (word.length > MAX_WORD_LENGTH) return undefined;
  let best: T | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    // `timeout` for `timeout_ms`: many edits, but an obvious match.
    const isShortForm = candidate.word.startsWith(`${word}_`);
    if (!isShortForm && Math.abs(candidate.word.length - word.length) >= bestDistance) continue;
    const distance = isShortForm ? 1 : editDistance(word, candidate.word);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Number of insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
export function editDistance(from: string, to: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = previous[column - 1]! + (from[row - 1] === to[column - 1] ? 0 : 1);
      let cost = Math.min(previous[column]! + 1, current[column - 1]! + 1, replaced);
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (swapped) cost = Math.min(cost, beforePrevious[column - 2]! + 1);
      current.push(cost);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[to.length]!;
}

/** `blobMaxBytes` and `blob-max-bytes` mean `blob_max_bytes`. */
function asSnakeCase(key: string): string {
  return key
    .slice(0, MAX_WORD_LENGTH + 1)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();
}

function join(section: string, key: string): string {
  return section === '' ? key : `${section}.${key}`;
}
