import { type KeyboardEvent, type MouseEvent, type RefObject, useState } from 'react';
import { useAction } from '../../state/actions.tsx';

interface Options {
  /** The ids of the rows, in order. */
  ids: readonly string[];
  body: RefObject<HTMLElement | null>;
  open(index: number): void;
  /** Makes sure that a row is rendered, if not all of them are. */
  reveal?(index: number): void;
}

/** Attributes of a grid row in addition to its content. */
export interface RowProps {
  'data-row': string;
  'aria-selected': boolean;
  tabIndex: 0 | -1;
  onFocus(): void;
  onClick(event: MouseEvent): void;
  onKeyDown(event: KeyboardEvent): void;
}

/** A grid in which one row at a time has the focus: keys move it up and down, and open it. */
export function useGridRows({ ids, body, open, reveal }: Options): (index: number) => RowProps {
  const [current, setCurrent] = useState<string | null>(null);
  // The last focused row may be gone; then the first one takes its place.
  const place = Math.max(0, current === null ? 0 : ids.indexOf(current));

  function go(index: number) {
    const at = Math.max(0, Math.min(ids.length - 1, index));
    const id = ids[at];
    if (id === undefined) return;
    setCurrent(id);
    reveal?.(at);
    // The row is rendered by the next frame.
    requestAnimationFrame(() => body.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`)?.focus());
  }
  useAction('next-row', () => go(current === null ? 0 : place + 1));
  useAction('previous-row', () => go(place - 1));
  useAction('first', () => go(0));
  useAction('last', () => go(ids.length - 1));
  useAction('open', () => current !== null && ids[place] !== undefined && open(place));

  return (index) => ({
    'data-row': ids[index]!,
    'aria-selected': index === place,
    tabIndex: index === place ? 0 : -1,
    onFocus: () => setCurrent(ids[index]!),
    onClick({ target }) {
      // A link inside opens by itself, also in another tab.
      if (!(target instanceof Element) || target.closest('a') === null) open(index);
    },
    onKeyDown(event) {
      const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
      if (step !== 0) go(index + step);
      else if (event.key === 'Enter') open(index);
      else return;
      event.preventDefault();
    },
  });
}
