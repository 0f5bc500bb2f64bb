const MAX_EDITS = 2;

/** The words with the fewest edits from a mistyped one. At most half of its letters may differ. */
export function similarWords(typed: string, words: readonly string[]): string[] {
  const near = words
    .map((word) => ({ word, edits: editsBetween(typed, word), length: Math.max(typed.length, word.length) }))
    .filter(({ edits, length }) => edits <= MAX_EDITS && edits * 2 <= length);
  const fewest = Math.min(...near.map(({ edits }) => edits));
  return near
    .filter(({ edits }) => edits === fewest)
    .map(({ word }) => word)
    .sort();
}

/** Letters to insert, remove, replace or swap with a neighbor. */
function editsBetween(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= from.length; row++) {
    const edits = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      edits[column] = Math.min(
        rows[row - 1]![column]! + 1,
        edits[column - 1]! + 1,
        rows[row - 1]![column - 1]! + (same ? 0 : 1),
        swapped ? rows[row - 2]![column - 2]! + 1 : Number.POSITIVE_INFINITY,
      );
    }
    rows.push(edits);
  }
  return rows[from.length]![to.length]!;
}
