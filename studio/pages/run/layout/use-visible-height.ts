import { useEffect } from 'react';

/** Makes the page as high as what is seen of it: a keyboard on the screen covers the rest without changing its size. */
export function useVisibleHeight(): void {
  useEffect(() => {
    const { visualViewport: seen } = window;
    if (!seen) return;
    const { style } = document.documentElement;
    // Somebody who has zoomed in sees less too, but wants the page to stay as it is.
    const follow = () => style.setProperty('--seen', seen.scale > 1.01 ? '100%' : `${seen.height}px`);
    follow();
    seen.addEventListener('resize', follow);
    return () => {
      seen.removeEventListener('resize', follow);
      style.removeProperty('--seen');
    };
  }, []);
}
