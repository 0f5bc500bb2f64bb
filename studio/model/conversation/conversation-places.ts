import type { Selection } from '../selection.ts';
import type { TimeWindow } from '../view.ts';
import type { ConversationFold, Row } from './conversation-rows.ts';

/** The row of the selection; −1 if none shows it, as for raw output. */
export function rowOfSelection({ rows, rowOfSeq, approvals }: ConversationFold, selection: Selection | null): number {
  switch (selection?.kind) {
    case 'event':
      return rowOfSeq.get(selection.seq) ?? -1;
    case 'approval':
      return approvals.get(selection.id) ?? -1;
    case 'file':
      return rows.findLastIndex((row) => row.kind === 'files' && changes(row, selection.path));
    default:
      return -1;
  }
}

/** The same, or the last row before it: everything has a position in the conversation. */
export function placeOfSelection(fold: ConversationFold, selection: Selection | null): number {
  const own = rowOfSelection(fold, selection);
  if (own >= 0 || selection?.kind !== 'event') return own;
  for (let seq = selection.seq - 1; seq > 0; seq--) {
    const before = fold.rowOfSeq.get(seq);
    if (before !== undefined) return before;
  }
  return fold.rows.length > 0 ? 0 : -1;
}

/** The last row that began at or before a time since the epoch; −1 if there is none. */
export function rowAtTime(rows: readonly Row[], time: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rows[middle]!.from <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Indexes of the rows that overlap the window. */
export function rowsInWindow(rows: readonly Row[], window: TimeWindow, start: number): number[] {
  const shown: number[] = [];
  for (const [index, { from, to }] of rows.entries()) {
    if (to - start >= window.from && from - start <= window.to) shown.push(index);
  }
  return shown;
}

/** A turn begins with a message. */
export function isTurn({ kind }: Row): boolean {
  return kind === 'user' || kind === 'assistant' || kind === 'question';
}

function changes({ created, modified, deleted }: Row<'files'>, path: string): boolean {
  return created.includes(path) || modified.includes(path) || deleted.includes(path);
}
