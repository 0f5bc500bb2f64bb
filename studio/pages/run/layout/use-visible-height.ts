import { useEffect } from 'react';

/** Limits the page to its visible height: an on-screen keyboard covers part of it without changing its size. */
export function useVisibleHeight(): void {
  useEffect(() => {
    const { visualViewport: seen } = window;
    if (!seen) return;
    const { style } = document.documentElement;
    // Zooming in also shows less, but the page must not change then.
    const follow = () => style.setProperty('--seen', seen.scale > 1.01 ? '100%' : `${seen.height}px`);
    follow();
    seen.addEventListener('resize', follow);
    return () => {
      seen.removeEventListener('resize', follow);
      style.removeProperty('--seen');
    };
  }, []);
}
