import type { Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useLayoutEffect } from 'react';
import type { ConversationFold } from '../../model/conversation/conversation-rows.ts';
import { useSession } from '../../state/use-run.tsx';

/** Distance from the end that counts as scrolled away, not just a touch of the wheel. */
const AWAY = 40;

interface Scrolled {
  scroller: RefObject<HTMLDivElement | null>;
  virtualizer: Virtualizer<HTMLDivElement, Element>;
  selected: number;
  here: number;
  following: boolean;
  fold: ConversationFold;
  shown: readonly number[];
  /** The row chosen in the list itself, which must not scroll. */
  own: RefObject<string | null>;
}

/**
 * Keeps the end in view while following, and stops following when the user scrolls up; otherwise scrolls to the row
 * that was selected elsewhere or reached by the playhead.
 */
export function useScrolling({ scroller, virtualizer, selected, here, following, fold, shown, own }: Scrolled): void {
  const session = useSession();
  const idAt = (at: number) => fold.rows[shown[at] ?? -1]?.id ?? null;
  const selectedId = idAt(selected);
  const hereId = idAt(here);
  const size = virtualizer.getTotalSize();

  // biome-ignore lint/correctness/useExhaustiveDependencies: whatever makes the list longer or shorter moves its end.
  useLayoutEffect(() => {
    const list = scroller.current;
    if (following && list) list.scrollTop = list.scrollHeight;
  }, [scroller, following, size, fold.taken]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a row stays selected wherever a time window puts it.
  useEffect(() => {
    if (selectedId !== own.current) own.current = null;
    if (selectedId === null || own.current !== null) return;
    const height = virtualizer.measurementsCache[selected]?.size ?? 0;
    const room = virtualizer.scrollRect?.height ?? 0;
    virtualizer.scrollToIndex(selected, { align: height > room * 0.8 ? 'start' : 'center' });
  }, [selectedId, virtualizer]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: as above.
  useEffect(() => {
    const chosen = hereId === own.current || hereId === selectedId;
    if (hereId !== null && !chosen) virtualizer.scrollToIndex(here, { align: 'auto' });
  }, [hereId, virtualizer]);

  useEffect(() => {
    const list = scroller.current;
    if (!list) return;
    let before = list.scrollTop;
    const scrolled = () => {
      const up = list.scrollTop < before;
      before = list.scrollTop;
      const away = list.scrollHeight - list.clientHeight - list.scrollTop > AWAY;
      if (!up || !away || !session.isLive || !session.view.get().following) return;
      session.view.change({ following: false, time: session.time }, 'replace');
    };
    list.addEventListener('scroll', scrolled, { passive: true });
    return () => list.removeEventListener('scroll', scrolled);
  }, [scroller, session]);
}
