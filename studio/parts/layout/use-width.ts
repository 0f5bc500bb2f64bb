import { type RefObject, useLayoutEffect, useState } from 'react';

/** How wide an element is inside, in pixels; 0 before it is there. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const watched = element.current!;
    const observer = new ResizeObserver(() => setWidth(watched.clientWidth));
    setWidth(watched.clientWidth);
    observer.observe(watched);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
