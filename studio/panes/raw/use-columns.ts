import { type RefObject, useEffect, useState } from 'react';

const SAMPLE = 100;
/** Marks and spaces next to the text: as in raw-pane.css. */
const GUTTER_PIXELS = 56;
/** Names of invisible characters have to fit. */
const MIN_COLUMNS = 16;

interface Measured {
  scroller: RefObject<HTMLElement | null>;
  /** Holds a hundred characters. */
  probe: RefObject<HTMLElement | null>;
  /** Characters that the gutter takes. */
  gutter: number;
}

/** How many characters of the monospace font fit into a row. */
export function useColumns({ scroller, probe, gutter }: Measured): number {
  const [columns, setColumns] = useState(80);
  useEffect(() => {
    const measure = () => {
      const width = (probe.current?.getBoundingClientRect().width ?? 0) / SAMPLE;
      if (!scroller.current || width === 0) return;
      const room = scroller.current.clientWidth - GUTTER_PIXELS - gutter * width;
      setColumns(Math.max(MIN_COLUMNS, Math.floor(room / width)));
    };
    const watcher = new ResizeObserver(measure);
    if (scroller.current) watcher.observe(scroller.current);
    void document.fonts.ready.then(measure);
    return () => watcher.disconnect();
  }, [scroller, probe, gutter]);
  return columns;
}
