/** Shorter lines are spinners and frames of boxes, whose loss is none. */
const MIN_CHARACTERS = 3;

/** Whether one line is the other one a little later: with more typed, another count, another second. */
export function isUpdated(before: string, after: string): boolean {
  const [one, other] = [before.trim(), after.trim()];
  if (other === '') return false;
  if (one.startsWith(other) || other.startsWith(one)) return true;
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start++;
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  return (start + end) * 2 >= Math.max(one.length, other.length);
}

/** Whether the line has something to read. */
export function isWorthKeeping(line: string): boolean {
  return line.trim().length >= MIN_CHARACTERS;
}

/** For each of `rows`, whether it is new compared to `before`: not in the longest common sequence of both. */
export function newRows(before: readonly string[], rows: readonly string[]): boolean[] {
  const isNew = rows.map(() => true);
  let start = 0;
  while (start < rows.length && start < before.length && rows[start] === before[start]) isNew[start++] = false;
  let [end, endBefore] = [rows.length, before.length];
  while (end > start && endBefore > start && rows[end - 1] === before[endBefore - 1]) {
    isNew[--end] = false;
    endBefore--;
  }
  const width = end - start + 1;
  const lengths = new Uint16Array(width * (endBefore - start + 1));
  const at = (row: number, rowBefore: number) => (rowBefore - start) * width + (row - start);
  for (let rowBefore = endBefore - 1; rowBefore >= start; rowBefore--) {
    for (let row = end - 1; row >= start; row--) {
      lengths[at(row, rowBefore)] =
        rows[row] === before[rowBefore]
          ? lengths[at(row + 1, rowBefore + 1)]! + 1
          : Math.max(lengths[at(row + 1, rowBefore)]!, lengths[at(row, rowBefore + 1)]!);
    }
  }
  for (let row = start, rowBefore = start; row < end && rowBefore < endBefore; ) {
    if (rows[row] === before[rowBefore]) {
      isNew[row++] = false;
      rowBefore++;
    } else if (lengths[at(row + 1, rowBefore)]! >= lengths[at(row, rowBefore + 1)]!) row++;
    else rowBefore++;
  }
  return isNew;
}

/** The new rows of a screen, with a mark in place of others; empty without any. */
export function changedText(before: readonly string[], rows: readonly string[]): string[] {
  const isNew = newRows(before, rows);
  const shown: string[] = [];
  for (let from = 0; from < rows.length; ) {
    let to = from + 1;
    while (to < rows.length && isNew[to] === isNew[from]) to++;
    const run = rows.slice(from, to);
    if (isNew[from] || (run.length < 3 && run.every((row) => row.trim() === ''))) shown.push(...run);
    else shown.push('⋮');
    from = to;
  }
  return shown.every((row) => row === '⋮' || row.trim() === '') ? [] : withoutOuterBlanks(shown);
}

export function withoutOuterBlanks(rows: readonly string[]): string[] {
  const first = rows.findIndex((row) => row.trim() !== '');
  return first < 0 ? [] : rows.slice(first, rows.findLastIndex((row) => row.trim() !== '') + 1);
}
