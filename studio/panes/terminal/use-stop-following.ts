import { type RefObject, useEffect } from 'react';
import { useSession } from '../../state/use-run.tsx';
import type { TerminalScreen } from './terminal-screen.ts';

const LATER_MS = 80;

/** Scrolling up while a run is live stops following, so that the text stays in place. */
export function useStopFollowing(screen: TerminalScreen | null, place: RefObject<HTMLElement | null>): void {
  const session = useSession();
  useEffect(() => {
    const parent = place.current;
    if (!screen || !parent) return;
    const look = () => {
      const { viewportY, baseY } = screen.terminal.buffer.active;
      if (viewportY >= baseY || !session.isLive || !session.view.get().following) return;
      session.view.change({ following: false, time: session.time }, 'replace');
    };
    // The terminal scrolls after the wheel event, and does not report it.
    const later = () => setTimeout(look, LATER_MS);
    parent.addEventListener('wheel', later, { passive: true, capture: true });
    parent.addEventListener('pointerup', later, { capture: true });
    return () => {
      parent.removeEventListener('wheel', later, { capture: true });
      parent.removeEventListener('pointerup', later, { capture: true });
    };
  }, [screen, session, place]);
}
