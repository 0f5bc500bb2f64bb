import { type RefObject, useEffect, useRef } from 'react';
import { isTurn, placeOfSelection } from '../../model/conversation/conversation-places.ts';
import type { ConversationFold } from '../../model/conversation/conversation-rows.ts';
import { useAction } from '../../state/actions.tsx';
import { useSession } from '../../state/use-run.tsx';
import type { RowActions } from './row-actions.ts';

interface Keyed {
  fold: ConversationFold;
  shown: readonly number[];
  scroller: RefObject<HTMLDivElement | null>;
  selected: number;
  here: number;
  actions: RowActions;
}

/** The keys of the list: between rows and turns, to the ends, to the selection. */
export function useRowKeys({ fold, shown, scroller, selected, here, actions }: Keyed): void {
  const { view } = useSession();
  const focusWanted = useRef(false);
  const rowAt = (at: number) => fold.rows[shown[at] ?? -1];

  // The row has to be drawn as selected before it can take the focus.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whatever else changes, the focus stays where it is.
  useEffect(() => {
    if (focusWanted.current) focus(selected);
  }, [selected]);

  function focus(at: number): void {
    focusWanted.current = false;
    const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${at}"]`);
    row?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: 'nearest' });
  }

  function go(at: number): boolean {
    const row = rowAt(at);
    if (!row) return false;
    focusWanted.current = true;
    actions.select(row, 'replace');
    if (at === selected) focus(at);
    return true;
  }

  const from = selected >= 0 ? selected : here;
  const turn = (step: 1 | -1) => {
    for (let at = (from >= 0 ? from : shown.length) + step; rowAt(at); at += step) {
      if (isTurn(rowAt(at)!)) return go(at);
    }
    return false;
  };

  useAction('next-row', () => go(from < 0 ? shown.length - 1 : from + 1), 'conversation');
  useAction('previous-row', () => go(from < 0 ? shown.length - 1 : from - 1), 'conversation');
  useAction('first', () => go(0), 'conversation');
  useAction('last', () => go(shown.length - 1), 'conversation');
  useAction('next-turn', () => turn(1));
  useAction('previous-turn', () => turn(-1));
  useAction('open', () => selected >= 0 && actions.open(rowAt(selected)!), 'conversation');
  useAction('conversation', () => {
    const row = placeOfSelection(fold, view.get().selection);
    const at = shown.indexOf(row);
    if (at >= 0 || row < 0) return go(at);
    // A row hidden by the time window is still shown, because it was requested.
    focusWanted.current = true;
    view.change({ window: null }, 'replace');
    actions.select(fold.rows[row]!, 'replace');
  });
}
