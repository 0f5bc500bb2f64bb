import './splitter.css';
import { type KeyboardEvent, type PointerEvent, useCallback, useState } from 'react';

/** A size in pixels set by dragging, kept for the next visit. */
export function useKeptSize(key: string, first: number): [number, (size: number) => void] {
  const [size, setSize] = useState(() => Number(localStorage.getItem(key)) || first);
  const keep = useCallback(
    (chosen: number) => {
      localStorage.setItem(key, String(Math.round(chosen)));
      setSize(chosen);
    },
    [key],
  );
  return [size, keep];
}

interface Props {
  label: string;
  /** `x`: the part on the right has a width; `y`: the part below has a height. */
  axis?: 'x' | 'y';
  /** Width or height of the part after the splitter. */
  size: number;
  least: number;
  most: number;
  onSize(size: number): void;
}

export function Splitter({ label, axis = 'x', size, least, most, onSize }: Props) {
  const bounded = (wanted: number) => onSize(Math.max(least, Math.min(most, wanted)));
  const placeOf = ({ clientX, clientY }: { clientX: number; clientY: number }) => (axis === 'x' ? clientX : clientY);

  function drag(event: PointerEvent<HTMLDivElement>) {
    const { currentTarget: handle, pointerId } = event;
    const from = placeOf(event);
    handle.setPointerCapture(pointerId);
    const move = (moved: globalThis.PointerEvent) => bounded(size + from - placeOf(moved));
    const end = () => handle.removeEventListener('pointermove', move);
    handle.addEventListener('pointermove', move);
    handle.addEventListener('lostpointercapture', end, { once: true });
  }

  function press(event: KeyboardEvent) {
    const [grow, shrink] = axis === 'x' ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown'];
    if (event.key !== grow && event.key !== shrink) return;
    // Elsewhere, arrow keys move the playhead.
    event.preventDefault();
    bounded(size + (event.key === grow ? 16 : -16));
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule of a page cannot be moved, this separator can.
    <div
      className="splitter"
      role="separator"
      tabIndex={0}
      data-axis={axis}
      aria-orientation={axis === 'x' ? 'vertical' : 'horizontal'}
      aria-label={label}
      aria-valuenow={Math.round(size)}
      aria-valuemin={least}
      aria-valuemax={Math.round(most)}
      onPointerDown={drag}
      onKeyDown={press}
    />
  );
}
