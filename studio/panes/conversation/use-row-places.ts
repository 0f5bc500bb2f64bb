import { rowAtTime, rowOfSelection } from '../../model/conversation/conversation-places.ts';
import type { ConversationFold } from '../../model/conversation/conversation-rows.ts';
import type { View } from '../../model/view.ts';
import { useModel, useView } from '../../state/use-run.tsx';

/** Indexes of the selection and the playhead among the visible rows; −1 if they are not there. */
export function useRowPlaces(fold: ConversationFold, shown: readonly number[]): { selected: number; here: number } {
  const start = useModel().start ?? 0;
  const selected = useView(({ selection }) => shownAt(shown, rowOfSelection(fold, selection)));
  const here = useView((view) => shownAt(shown, rowHere(fold, view, start)));
  return { selected, here };
}

function rowHere(fold: ConversationFold, { following, time, selection }: View, start: number): number {
  if (following || time === null) return -1;
  // Of several rows at the same time, the selected one.
  const selected = rowOfSelection(fold, selection);
  return fold.rows[selected]?.from === start + time ? selected : rowAtTime(fold.rows, start + time);
}

/** `shown` is ascending, so this is a binary search. */
function shownAt(shown: readonly number[], row: number): number {
  let low = 0;
  let high = shown.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = shown[middle]!;
    if (found === row) return middle;
    if (found < row) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
