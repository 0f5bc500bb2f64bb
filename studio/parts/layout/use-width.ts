import { type RefObject, useLayoutEffect, useState } from 'react';

/** Inner width of an element in pixels; 0 before it exists. */
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
