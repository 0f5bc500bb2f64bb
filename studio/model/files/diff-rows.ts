import type { DiffLine, TextDiff } from '../../../src/record/changes/text-diff.ts';

/** One row on the screen. `hunk` is the number of the hunk that begins with it, from 0. */
export type DiffRow =
  | { kind: 'gap'; lines: number; hunk: number | null }
  | { kind: 'line'; line: DiffLine; hunk: number | null }
  | { kind: 'pair'; before: DiffLine | null; after: DiffLine | null; hunk: number | null };

/** One column: removed lines, then added lines. */
export function unifiedRows(diff: TextDiff): DiffRow[] {
  return rowsOf(diff, (lines) => lines.map((line) => ({ kind: 'line', line, hunk: null })));
}

/** Two columns: each line next to the one that replaced it. */
export function sideBySideRows(diff: TextDiff): DiffRow[] {
  return rowsOf(diff, pairsOf);
}

function rowsOf({ hunks, skippedAfter }: TextDiff, draw: (lines: readonly DiffLine[]) => DiffRow[]): DiffRow[] {
  const rows: DiffRow[] = [];
  for (const [hunk, { lines, skipped }] of hunks.entries()) {
    const gap: DiffRow[] = skipped > 0 ? [{ kind: 'gap', lines: skipped, hunk: null }] : [];
    const [first, ...rest] = [...gap, ...draw(lines)];
    rows.push({ ...first!, hunk });
    for (const row of rest) rows.push(row);
  }
  if (skippedAfter > 0) rows.push({ kind: 'gap', lines: skippedAfter, hunk: null });
  return rows;
}

function pairsOf(lines: readonly DiffLine[]): DiffRow[] {
  const rows: DiffRow[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at]!;
    if (line.kind === 'same') {
      rows.push({ kind: 'pair', before: line, after: line, hunk: null });
      at++;
      continue;
    }
    const block = (kind: DiffLine['kind']) => {
      const from = at;
      while (lines[at]?.kind === kind) at++;
      return lines.slice(from, at);
    };
    const [removed, added] = [block('removed'), block('added')];
    for (let row = 0; row < Math.max(removed.length, added.length); row++) {
      rows.push({ kind: 'pair', before: removed[row] ?? null, after: added[row] ?? null, hunk: null });
    }
  }
  return rows;
}
